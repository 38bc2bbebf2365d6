import { TIER_KEYS, type TierKey } from '../../core/assembly.ts';
import { joinTexts } from '../join-texts.ts';
import type { AssemblyInput, TierContent, TieredInput } from './assemble-input.ts';
import { withReminder } from './blocks.ts';
import {
  ACKNOWLEDGED,
  FILE_TREE_HEADER,
  FILES_ACTIVE_HEADER,
  REPO_MAP_HEADER,
  REVIEW_ACKNOWLEDGED,
  REVIEW_CONTEXT_HEADER,
  TIER_FILES_HEADERS,
  TIER_SYMBOLS_HEADER,
  URL_CONTEXT_HEADER,
  URLS_ACKNOWLEDGED,
} from './headers.ts';
import { marks } from './marks.ts';

/** A message of a prompt, before it is written in somebody's form. */
export type Slot<Native> = ContextSlot | { readonly kind: 'history'; readonly message: Native } | PromptSlot;

/** What the user says now. */
type PromptSlot = { readonly kind: 'prompt'; readonly text: string };

/** A text that is context, or the answer to one. */
export type ContextSlot = {
  readonly kind: 'context';
  readonly role: 'system' | 'user' | 'assistant';
  readonly text: string;
};

/** Messages in a row; at the end of some a cache mark stands. */
export type Sequence<Native> = { readonly slots: readonly Slot<Native>[]; readonly isMarked: boolean };

/** What a prompt is laid out from. */
export type LayoutInput<Native> = TieredInput<Native> & {
  /**
   * What of a message of the history is counted where nobody has counted it. Images and the like are no text, and are left out:
   * less is never taken for enough.
   */
  readonly countable: (message: Native) => string;
};

/** The messages of a prompt in S1's order ("Message Array Structure"): one sequence for each tier that has anything, then the rest. */
export function layOut<Native>(input: LayoutInput<Native>): readonly Sequence<Native>[] {
  const tiers = TIER_KEYS.map((key) => ({ key, slots: tierSlots(key, input) })).filter(({ slots }) => slots.length > 0);
  const rest = tailSlots(input);
  const marksRest = rest.length > 0 && isWorthAMark(rest, input.marksTail);
  const isMarked = chooseMarks([...tiers.map(({ key }) => key), ...(marksRest ? ['tail' as const] : [])], input);
  return [
    ...tiers.map(({ slots }, at) => ({ slots, isMarked: isMarked(at) })),
    { slots: rest, isMarked: marksRest && isMarked(tiers.length) },
    { slots: promptSlots(input.userPrompt, input.systemReminder), isMarked: false },
  ];
}

function isWorthAMark(rest: readonly Slot<unknown>[], marksTail: TieredInput<unknown>['marksTail'] = false): boolean {
  return marksTail === 'messages' ? rest.every(({ kind }) => kind === 'history') : marksTail;
}

/** Which sequences get a mark. */
function chooseMarks<Native>(
  parts: readonly (TierKey | 'tail')[],
  input: LayoutInput<Native>,
): (at: number) => boolean {
  const { cacheLimits } = input;
  if (!cacheLimits) return (at) => at >= parts.length - TIER_KEYS.length;
  const blocks = parts.map((part, at) => {
    const tokens = part === 'tail' ? tailTokens(input) : tierTokens(part, input);
    return { tokens: at === 0 ? tokens + headTokens(input) : tokens };
  });
  const marked = new Set(marks(blocks, cacheLimits));
  return (at) => marked.has(at);
}

function tierSlots<Native>(key: TierKey, input: TieredInput<Native>): Slot<Native>[] {
  const content = input.tieredContent[key] ?? {};
  const block = key === 'L0' ? systemSlots(systemText(input, content)) : pair(tierText(key, content));
  const more = (content.more ?? []).flatMap((run) => [...pair(tierText(key, run)), ...historySlots(run.history)]);
  return [...block, ...historySlots(content.history), ...more];
}

/** System prompt, legend, symbols and files of L0 (S1 "L0 Block"). */
function systemText<Native>(input: AssemblyInput<Native>, content: TierContent<Native>): string {
  const { symbols = '', fileTree = '', files = '' } = content;
  const map = sections([input.symbolLegend ?? '', symbols]);
  return sections([input.systemPrompt, headed(REPO_MAP_HEADER, map), fileTree, headed(TIER_FILES_HEADERS.L0, files)]);
}

function tierText<Native>(key: TierKey, content: TierContent<Native>): string {
  const { symbols = '', fileTree = '', files = '' } = content;
  return sections([headed(TIER_SYMBOLS_HEADER, symbols), fileTree, headed(TIER_FILES_HEADERS[key], files)]);
}

/** What no cache holds, the more stable parts first. */
function tailSlots<Native>(input: AssemblyInput<Native>): Slot<Native>[] {
  const { symbolMap, fileTree, urlContext, reviewContext, activeFiles, activeHistory } = input;
  return [
    ...pair(headed(TIER_SYMBOLS_HEADER, symbolMap)),
    ...pair(headed(FILE_TREE_HEADER, fileTree)),
    ...pair(headed(URL_CONTEXT_HEADER, urlContext), URLS_ACKNOWLEDGED),
    ...pair(headed(REVIEW_CONTEXT_HEADER, reviewContext), REVIEW_ACKNOWLEDGED),
    ...pair(headed(FILES_ACTIVE_HEADER, activeFiles)),
    ...historySlots(activeHistory),
  ];
}

function systemSlots(text: string): ContextSlot[] {
  return text === '' ? [] : [{ kind: 'context', role: 'system', text }];
}

function pair(text: string, acknowledgement = ACKNOWLEDGED): ContextSlot[] {
  if (text === '') return [];
  return [
    { kind: 'context', role: 'user', text },
    { kind: 'context', role: 'assistant', text: acknowledgement },
  ];
}

function historySlots<Native>(messages: readonly Native[] = []): Slot<Native>[] {
  return messages.map((message) => ({ kind: 'history', message }));
}

function promptSlots(prompt: string | undefined, reminder = ''): PromptSlot[] {
  return prompt === undefined ? [] : [{ kind: 'prompt', text: withReminder(prompt, reminder) }];
}

function headed(header: string, text = ''): string {
  return text.trim() === '' ? '' : header + text;
}

/** Texts of one message, a blank line apart; the line ends that lists have at their end are not part of that. */
function sections(texts: readonly string[]): string {
  return joinTexts(texts.map(withoutLineEnds));
}

function withoutLineEnds(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === LINE_FEED) end--;
  return text.slice(0, end);
}

const LINE_FEED = 10;
/** How many characters of text are a token, at most: less is never taken for enough. */
const CHARACTERS_PER_TOKEN = 4;

function headTokens<Native>(input: TieredInput<Native>): number {
  const { countTokens: count = countByLength, systemPrompt, symbolLegend = '' } = input;
  return input.headTokens ?? count(systemPrompt) + count(symbolLegend);
}

function tierTokens<Native>(key: TierKey, input: LayoutInput<Native>): number {
  const content = input.tieredContent[key] ?? {};
  return content.tokens ?? countContent(content, input);
}

function tailTokens<Native>(input: LayoutInput<Native>): number {
  if (input.tailTokens !== undefined) return input.tailTokens;
  const { countTokens: count = countByLength, urlContext = '', reviewContext = '' } = input;
  const { symbolMap = '', fileTree = '', activeFiles = '', activeHistory = [] } = input;
  const items = countContent({ symbols: symbolMap, fileTree, files: activeFiles, history: activeHistory }, input);
  return items + count(urlContext) + count(reviewContext);
}

function countContent<Native>(content: TierContent<Native>, input: LayoutInput<Native>): number {
  const { symbols = '', fileTree = '', files = '', history = [], more = [] } = content;
  const { countTokens: count = countByLength, countable } = input;
  const blocks = count(symbols) + count(fileTree) + count(files);
  const said = history.reduce((sum, message) => sum + count(countable(message)), 0);
  return more.reduce((sum, run) => sum + countContent(run, input), blocks + said);
}

function countByLength(text: string): number {
  return Math.floor(text.length / CHARACTERS_PER_TOKEN);
}
