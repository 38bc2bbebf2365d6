import { fileBlock, fileTree, joinFiles } from '../../src/prompt/tiers/blocks.ts';
import { assembleRequest, type AssembledRequest } from '../../src/prompt/tiers/assemble-request.ts';
import { symbolList } from '../../src/prompt/tiers/join-tier.ts';
import { CACHE, TOKENS } from './constants.ts';
import type { CacheMark } from '../../src/core/provider.ts';
import type { Block, Request } from './provider-cache.ts';
import type { Situation } from './replay.ts';
import { SIZES, sized, sourcesOf, textOf } from './sources.ts';

/** What every prompt of a session begins with, and how its cache is marked. */
export const SYSTEM = {
  systemPrompt: sized('system', TOKENS.system),
  cacheLimits: { breakpoints: CACHE.marks, minimumTokens: CACHE.minimum },
  countTokens: SIZES.count,
};

/** What stands at the end of a prompt in tiers. */
export function promptOf({ prompt }: Situation): { readonly userPrompt: string; readonly systemReminder: string } {
  return { userPrompt: textOf(prompt), systemReminder: sized('reminder', TOKENS.reminder) };
}

/** A request of a model as its provider sees it. */
export function blocksOf({ system, messages, cacheMarks }: AssembledRequest): Request {
  const blocks = [blockOf(system), ...messages.map(({ text }) => blockOf(text))];
  return { blocks, marks: cacheMarks.map(placeOf) };
}

/** The system prompt is the first block. */
function placeOf(mark: CacheMark): number {
  return typeof mark === 'number' ? mark + 1 : 0;
}

function blockOf(text: string): Block {
  return { id: text, tokens: SIZES.count(text) };
}

/**
 * The flat layout: system prompt with the map of all files that are not selected, list of files, selected files,
 * history, prompt; no reminder, so that a prompt stays what it was.
 */
export function flatBlocks(situation: Situation, map: 'whole' | 'unselected' = 'unselected'): readonly Block[] {
  const { files, symbols, history } = sourcesOf(situation);
  const hidden = new Set(map === 'whole' ? [] : files.selected());
  const shown = symbols.paths().filter((path) => !hidden.has(path));
  const request = assembleRequest({
    systemPrompt: SYSTEM.systemPrompt,
    tieredContent: { L0: { symbols: symbolList(shown.flatMap((path) => symbols.block(path) ?? [])) } },
    cacheLimits: { breakpoints: 0, minimumTokens: 0 },
    fileTree: fileTree(files.tree()),
    activeFiles: joinFiles(files.selected().map((path) => fileBlock(path, files.content(path) ?? ''))),
    activeHistory: history.messages(),
    userPrompt: textOf(situation.prompt),
  });
  return blocksOf(request).blocks;
}
