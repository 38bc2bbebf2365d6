import type { TierEvent, TierPolicyName } from '../../src/core/assembly.ts';
import type { Message } from '../../src/core/conversation.ts';
import { createGatherer } from '../../src/prompt/tiers/assemble-gather.ts';
import { assembleRequest, type AssembledRequest } from '../../src/prompt/tiers/assemble-request.ts';
import { sourcesOf, type Session } from '../../src/prompt/tiers/fixtures/session.ts';
import { createTierPolicy, tierLayout } from '../../src/prompt/tiers/policy-by-name.ts';
import { anthropicRequest } from '../../src/providers/anthropic-request.ts';
import { splitConversation } from '../../src/thread/tiers/assembly-history.ts';
import { CACHE } from './constants.ts';
import { costOf, type ProviderCache, type Request } from './provider-cache.ts';

/** How long the thread works, and in what project. */
const ROUNDS = 4;
const READS = 8;
const FILES = 100;
const count = (text: string): number => Math.ceil(text.length / 4);

/** What a thread costs that works with tools, so many calls a turn: it reads, selects a file, and edits it, again and again. */
export function replayTools(name: TierPolicyName, calls: number, cache: ProviderCache): number {
  const paths = Array.from({ length: FILES }, (_, at) => `src/d${at % 20}/f${at}.ts`);
  const own: Session = { files: new Map(paths.map((path) => [path, textOf(path)])), selected: new Set(), history: [] };
  const layOut = createLayout(name, own);
  const messages: Message[] = [{ role: 'user', text: 'Please do the task.' }];
  let cost = 0;
  const turn = (...events: TierEvent[]): void => {
    cost += costOf(cache.send(blocksOf(layOut(messages, events))));
    messages.push(...answer(messages.length, calls));
  };
  for (let round = 0; round < ROUNDS; round++) {
    for (let at = 0; at < READS; at++) turn();
    const path = paths[(round * 37) % FILES] ?? '';
    own.selected.add(path);
    turn({ kind: 'selected', path });
    turn();
    own.files.set(path, textOf(`${path} anew`));
    turn({ kind: 'edited', key: `file:${path}` });
  }
  return cost;
}

/** Lays requests out as threads do. */
function createLayout(name: TierPolicyName, own: Session) {
  const policy = createTierPolicy(name);
  const { repeats, marksTail } = tierLayout(name);
  const gatherer = createGatherer({ counter: { count }, repeats });
  let before: AssembledRequest | undefined;
  return (messages: readonly Message[], events: readonly TierEvent[]): AssembledRequest => {
    const { history, open, prompt } = splitConversation(messages, { summaries: 0, removed: 0 });
    const sources = sourcesOf({ ...own, history: [...history] });
    const assignment = policy.assign(gatherer.items(sources), [{ kind: 'turn_ended' }, ...events]);
    const gathered = gatherer.gather(assignment, sources);
    before = assembleRequest({
      ...gathered,
      systemPrompt: 'Be careful. '.repeat(500),
      activeHistory: [...gathered.activeHistory, ...open],
      ...(prompt && { userPrompt: prompt.text }),
      cacheLimits: { breakpoints: CACHE.marks, minimumTokens: CACHE.minimum },
      marksTail,
      before,
    });
    return before;
  };
}

function answer(id: number, calls: number): Message[] {
  const toolCalls = Array.from({ length: calls }, (_, at) => ({ id: `${id}-${at}`, name: 'read', input: {} }));
  const results = toolCalls.map(
    (call) => ({ role: 'tool', callId: call.id, text: textOf(call.id), isError: false }) as const,
  );
  return [{ role: 'assistant', text: 'I look at it.', toolCalls }, ...results];
}

function textOf(name: string): string {
  return `${name} is what it is.\n`.repeat(20);
}

/** A request as the provider that takes marks sees it. */
function blocksOf({
  system,
  messages,
  cacheMarks,
}: Pick<AssembledRequest, 'system' | 'messages' | 'cacheMarks'>): Request {
  const thread = { directive: 'd', turn: 1 };
  const request = { model: 'm', system, messages, cacheMarks, tools: [], maxOutputTokens: 1, inputTokens: 1, thread };
  const body = anthropicRequest(request, 'none');
  const contents = [body.system ?? '', ...body.messages.map(({ content }) => content)];
  const sent = contents.flatMap((content): object[] =>
    typeof content === 'string' ? [{ type: 'text', text: content }] : content,
  );
  const ids = sent.map((block) => JSON.stringify({ ...block, cache_control: undefined }));
  return {
    blocks: ids.map((id) => ({ id, tokens: count(id) })),
    marks: sent.flatMap((block, at) => ('cache_control' in block ? [at] : [])),
  };
}
