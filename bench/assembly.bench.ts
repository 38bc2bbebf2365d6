/*
 * Prompts in tiers: how long it takes to lay one of 200,000 tokens out anew when a file of it was edited. See README.md.
 * `node bench/assembly.bench.ts [options]`
 */
import type { HistoryMessage, TierEvent } from '../src/core/assembly.ts';
import { createGatherer } from '../src/prompt/tiers/assemble-gather.ts';
import type { TierSources } from '../src/prompt/tiers/assemble-items.ts';
import { assembleRequest } from '../src/prompt/tiers/assemble-request.ts';
import { createTierPolicy, tierLayout } from '../src/prompt/tiers/policy-by-name.ts';
import { createOpenaiCount } from '../src/providers/openai-tokens.ts';
import type { Measured } from './job.ts';
import { createRandom } from './random.ts';
import { readSeriesOptions } from './series-options.ts';
import { runSeries } from './series.ts';
import { threadCpuUs } from './thread-cpu.ts';

/** Files are selected; as many again have their symbols shown. */
const TOKENS_PER_FILE = 1000;
const SYMBOLS_PER_FILE = 8;
/** The history as it is before it is summed up: exchanges of a question and an answer. */
const EXCHANGES = 80;
const TOKENS_PER_MESSAGE = 150;
/** Edits of a session. */
const EDITS = 100;

/** Each a token or so. */
const WORDS =
  'const return function value index path text read write if else for map file line key type new await'.split(' ');

const { sizes, runs, json } = readSeriesOptions('assembly', {
  tokens: { about: 'size of the prompt', standard: 200_000, least: TOKENS_PER_FILE },
  edits: { about: 'edits, after each of which it is assembled', standard: EDITS, least: 1 },
});
// So that no run is the one in which the code is compiled.
measureOnce(sizes.tokens, 5);
const items = Math.round(sizes.tokens / TOKENS_PER_FILE);
// Of few edits the median is one of a session's beginning.
const variant = sizes.edits === EDITS ? undefined : `${sizes.edits} edits`;
await runSeries({ scenario: 'assembly', code: 'src', items, variant, runs, json }, () => ({
  metrics: measureOnce(sizes.tokens, sizes.edits),
  problems: [],
}));

/** The first prompt, then one after each edit of a file, any of them. */
function measureOnce(tokens: number, edits: number): Measured['metrics'] {
  const random = createRandom(7);
  const session = createSession(tokens, random);
  const counter = { count: createOpenaiCount('gpt-5-mini') };
  const { repeats, marksTail } = tierLayout('cache-aware');
  const gatherer = createGatherer({ counter, repeats });
  const policy = createTierPolicy('cache-aware');
  const systemPrompt = 'You are careful.';
  const headTokens = counter.count(systemPrompt);
  const assemble = (): number => {
    const assignment = policy.assign(gatherer.items(session.sources), session.events(), { headTokens });
    const gathered = gatherer.gather(assignment, session.sources);
    const request = assembleRequest({
      systemPrompt,
      userPrompt: 'Do it.',
      cacheLimits: { breakpoints: 4, minimumTokens: 1024 },
      marksTail,
      headTokens,
      tailTokens: gathered.activeTokens + counter.count(gathered.fileTree),
      ...gathered,
    });
    // Joined texts are only written out when they are read.
    return request.messages.reduce((sum, { text }) => sum + Buffer.byteLength(text), Buffer.byteLength(request.system));
  };
  const first = timed(assemble);
  const times = Array.from({ length: edits }, (_, at) => {
    session.edit(Math.floor(random() * session.count), `edit ${at}`);
    return timed(assemble);
  });
  return {
    assembly_first: first.ms,
    assembly_time: median(times.map(({ ms }) => ms)),
    assembly_cpu: median(times.map(({ cpuMs }) => cpuMs)),
    assembly_slowest: Math.max(...times.map(({ ms }) => ms)),
  };
}

function median(times: readonly number[]): number {
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? Number.NaN;
}

type Session = {
  readonly sources: TierSources;
  readonly count: number;
  /** Since it was asked last. */
  events(): readonly TierEvent[];
  /** Changes a file, at the end of an exchange. */
  edit(file: number, text: string): void;
};

function createSession(tokens: number, random: () => number): Session {
  const count = Math.max(1, Math.round((tokens - 2 * EXCHANGES * TOKENS_PER_MESSAGE) / TOKENS_PER_FILE));
  const path = (at: number): string => `src/part-${at % 20}/file-${at}.ts`;
  const text = (): string => words(TOKENS_PER_FILE, random);
  const files = new Map(Array.from({ length: count }, (_, at) => [path(at), text()]));
  const selected = [...files.keys()];
  const blocks = new Map<string, string>();
  for (let at = 0; at < count; at++) blocks.set(`lib/${at}.ts`, words(SYMBOLS_PER_FILE, random));
  const history: HistoryMessage[] = [];
  const say = (): void => {
    for (const role of ['user', 'assistant'] as const) {
      const said = { id: `m${history.length}`, index: history.length, text: words(TOKENS_PER_MESSAGE, random) };
      history.push(role === 'user' ? { ...said, role } : { ...said, role, toolCalls: [] });
    }
  };
  for (let at = 0; at < EXCHANGES; at++) say();
  const events: TierEvent[] = selected.map((each) => ({ kind: 'selected', path: each }));
  return {
    count,
    events: () => events.splice(0),
    sources: {
      files: {
        selected: () => selected,
        content: (asked) => files.get(asked),
        tree: () => [...selected, ...blocks.keys()],
      },
      symbols: {
        refresh: () => Promise.resolve(),
        block: (asked) => blocks.get(asked),
        hash: (asked) => blocks.get(asked),
        paths: () => [...blocks.keys()],
        legend: () => 'c=class',
      },
      history: { messages: () => history },
    },
    edit(at, said) {
      say();
      files.set(path(at), `${files.get(path(at)) ?? ''}\n${said}`);
      events.push({ kind: 'edited', key: `file:${path(at)}` }, { kind: 'turn_ended' });
    },
  };
}

function words(count: number, random: () => number): string {
  const word = (): string => WORDS[Math.floor(random() * WORDS.length)] ?? '';
  return Array.from({ length: count }, word).join(' ');
}

/** Time and CPU of the thread: a machine that does something else besides shows in the first alone. */
function timed(work: () => number): { readonly ms: number; readonly cpuMs: number } {
  const [begin, used] = [performance.now(), threadCpuUs()];
  if (work() === 0) throw new Error('Nothing was assembled');
  const ms = performance.now() - begin;
  return { ms, cpuMs: (threadCpuUs() - used) / 1000 };
}
