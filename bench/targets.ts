import { HELD_OUT, nameSessions } from './cache/figures.ts';
import { describeCase, type Result } from './results.ts';

/** A number to be reached, and whether it was; undefined = shown for information. */
export type TargetLine = {
  /** What is held against it, and in which case; no two lines of a scenario have the same. */
  readonly name: string;
  /** The same, with the number and its limit. */
  readonly text: string;
  readonly reached: boolean | undefined;
  /** Whether it is as good as was hoped for, where more was hoped for than is asked for. */
  readonly goalReached?: boolean;
};

/** A limit: what must hold, and what was hoped for. */
type Limit = {
  /** `max`: at most so much; `min`: at least. */
  readonly max?: number;
  readonly min?: number;
  readonly goal?: number;
};

type Bound = Limit & {
  readonly scenario: string;
  readonly metric: string;
  readonly text: string;
  /** Forms of the scenario it holds for; default: all. */
  readonly variants?: readonly string[];
  /** Whom it holds for; default: `skein`. */
  readonly contender?: string;
  /** Sizes it holds for; default: all. */
  readonly threads?: number;
};

/** Longest task on the host, in ms; of the index of symbols, which reads thousands of files. */
const HOST_TASK: Limit = { max: 10, goal: 5 };
const SYMBOLS_HOST_TASK: Limit = { max: 20 };

/** What the issues ask for; a bound's unit is the metric's. */
const BOUNDS: readonly Bound[] = [
  { scenario: 'fanout', metric: 'events_lost', max: 0, text: 'events lost' },
  { scenario: 'fanout', metric: 'money_difference', max: 0, text: 'money difference' },
  { scenario: 'parked', metric: 'heap_per_thread', max: 8_192, goal: 5_120, text: 'heap of a parked thread' },
  { scenario: 'idle', metric: 'start_time', max: 1, text: 'start with suspended threads' },
  { scenario: 'idle', metric: 'resume_first', max: 10, text: 'first resumption after a start' },
  { scenario: 'idle', metric: 'resume_max', max: 10, text: 'resumption of a suspended thread, slowest of the others' },
  {
    scenario: 'idle',
    metric: 'heap_per_thread',
    max: 256,
    text: 'heap of a suspended or queued thread',
    variants: ['suspended', 'queued'],
  },
  ...(
    [
      [10_000, 300, 200],
      [100_000, 2_000, 1_000],
    ] as const
  ).map(([threads, max, goal]) => ({
    scenario: 'cancel',
    metric: 'cancel_latency',
    max,
    goal,
    threads,
    text: 'cancel to the last acknowledged ending',
  })),
  {
    scenario: 'cancel',
    metric: 'calls_after_50ms',
    max: 0,
    text: 'model calls started 50 ms after a cancel',
    // Parked ones start none whatever a cancel does.
    variants: ['tree-busy', 'roots-busy'],
  },
  {
    scenario: 'cancel',
    metric: 'host_task_max',
    ...HOST_TASK,
    text: 'longest host task',
    // In the others the caller's own loop is a task.
    variants: ['tree', 'tree-busy'],
  },
  {
    scenario: 'cancel',
    metric: 'host_task_after_loop',
    ...HOST_TASK,
    text: "longest host task after the caller's loop",
  },
  ...['recover', 'idle'].map((scenario) => ({
    scenario,
    metric: 'start_task',
    ...HOST_TASK,
    text: `longest host task of a start, loading modules (${scenario})`,
  })),
  ...['fanout', 'scale', 'spawn', 'parked', 'tree', 'pipeline', 'tools', 'resume', 'recover', 'idle'].map(
    (scenario) => ({ scenario, metric: 'host_task_max', ...HOST_TASK, text: `longest host task of ${scenario}` }),
  ),
  { scenario: 'mixed', metric: 'small_wait', max: 1.1, text: 'wait of a small parent beside a big one' },
  {
    scenario: 'store',
    metric: 'events_per_second',
    min: 100_000,
    goal: 200_000,
    text: 'durable events per second, acknowledged',
  },
  { scenario: 'items', metric: 'index_time', max: 10, text: 'first index' },
  { scenario: 'items', metric: 'query_p95', max: 20, text: 'query, p95' },
  { scenario: 'items', metric: 'query_max', max: 20, text: 'query, slowest' },
  { scenario: 'prompt', metric: 'prompts_cached', min: 5000, text: 'prompts of directives seen before' },
  { scenario: 'prompt', metric: 'prompts_cold', min: 300, text: 'prompts of directives not seen before' },
  { scenario: 'prompty', metric: 'templates_cached', min: 50_000, text: 'renders of a template seen before' },
  { scenario: 'prompty', metric: 'templates_anew', min: 10_000, text: 'renders of a template not seen before' },
  { scenario: 'assembly', metric: 'assembly_time', max: 10, text: 'prompt in tiers after an edit', variants: [''] },
  costBound('cache-aware', 0.55),
  costBound('cache-aware-redundant', 0.48),
  costBound('append-only', 0.3),
  { scenario: 'cache', metric: 'cache_dearer', max: 0, text: 'sessions that cost as much as with one mark' },
  { scenario: 'symbols', metric: 'symbols_cold', max: 20, text: 'symbols of a project not seen before' },
  { scenario: 'symbols', metric: 'symbols_warm', max: 1, text: 'symbols in a new process, from the cache' },
  { scenario: 'symbols', metric: 'host_task_max', ...SYMBOLS_HOST_TASK, text: 'longest host task' },
  ...viewerBounds('watching'),
  ...viewerBounds('full'),
  { scenario: 'spawn', metric: 'spawn_ratio', max: 1.2, text: 'cost of a late spawn against an early one' },
];

function costBound(policy: string, max: number): Bound {
  const variants = HELD_OUT.map((kinds) => `${policy}, ${nameSessions(kinds)}`);
  return { scenario: 'cache', metric: 'cache_cost', max, text: 'cost ÷ no cache', variants };
}

/**
 * A viewer may cost a tenth, and the workers post no more for it than they do for the one thread that it looks at. That is held by
 * messages, of which each thread has the same number each time. On how many ticks they fall depends on what else the machine
 * does (one round of `full` was at 1.076, one of `watching` at 1.112), so that the median of posts per tick has room for a fifth:
 * that is 0.3 posts a tick, nearly one in every third. README.md has the figures.
 */
function viewerBounds(contender: string): readonly Bound[] {
  return [
    { scenario: 'viewer', contender, metric: 'cpu_ratio', max: 1.1, text: `CPU per turn, viewer ${contender}` },
    {
      scenario: 'viewer',
      contender,
      metric: 'messages_ratio',
      max: 1.01,
      text: `messages of workers, viewer ${contender}`,
    },
    {
      scenario: 'viewer',
      contender,
      metric: 'posts_ratio',
      max: 1.2,
      text: `posts of workers per tick, viewer ${contender}`,
    },
  ];
}

type Ratio = Limit & { readonly metric: string; readonly of: string; readonly to: string };

/** What one contender takes against another in the same case. */
const RATIOS: readonly Ratio[] = [
  { metric: 'cpu_per_turn', of: 'langgraph', to: 'skein', min: 12, goal: 16 },
  { metric: 'cpu_per_turn', of: 'langgraph-functional', to: 'skein', min: 12, goal: 16 },
  { metric: 'cpu_per_turn', of: 'openai-agents', to: 'skein', min: 3, goal: 4.5 },
  { metric: 'cpu_per_turn', of: 'skein', to: 'plain-encode', max: 5, goal: 3.5 },
  { metric: 'cpu_per_turn', of: 'skein-bare', to: 'plain', max: 3, goal: 2 },
  ...['ai-sdk', 'mastra', 'effect', 'p-limit', 'piscina-comlink', 'langgraph-bare', 'plain'].map((of) => {
    return { metric: 'cpu_per_turn', of, to: 'skein' };
  }),
  { metric: 'cpu_per_thread', of: 'skein', to: 'plain-encode' },
  { metric: 'cpu_per_call', of: 'skein', to: 'undici', max: 3, goal: 2 },
  { metric: 'calls_per_second', of: 'skein', to: 'child-process' },
];

type Growth = Limit & {
  readonly scenario: string;
  readonly metric: string;
  readonly text: string;
  /** From the smaller to the larger number of threads. */
  readonly from: number;
  readonly to: number;
  /** What is held against the limit. */
  readonly figure: (from: number, to: number) => number;
};

/** How far the larger of two is above the smaller. */
const spreadOf = (one: number, other: number): number => Math.max(one, other) / Math.min(one, other);
const growthOf = (from: number, to: number): number => to / from;

/** What must not depend on how many threads there are. */
const GROWTHS: readonly Growth[] = [
  ...(
    [
      ['parked', 'heap_per_thread', 'heap of a parked thread', spreadOf, 1_000],
      // A thousand have more of the compiler in them. So have ten thousand, if less: `spawn_ratio` is of warm threads alone.
      ['scale', 'cpu_per_thread', 'CPU of a thread', growthOf, 10_000],
      ['scale', 'heap_per_thread', 'heap of a live thread', spreadOf, 1_000],
    ] as const
  ).flatMap(([scenario, metric, what, figure, from]) =>
    [10_000, 100_000]
      .filter((to) => to > from)
      .map((to) => ({ scenario, metric, text: `${what}, ${from} against ${to}`, from, to, figure, max: 1.2 })),
  ),
  {
    scenario: 'scale',
    metric: 'live_rss',
    text: 'RSS of one more live thread, in KB',
    from: 10_000,
    to: 100_000,
    figure: (from, to) => ((to - from) * 1e6) / 90_000 / 1_024,
    max: 12,
    goal: 8,
  },
];

/** Holds the results of one run against the targets; those that were not measured are left out. */
export function checkTargets(results: readonly Result[]): TargetLine[] {
  return [
    ...RATIOS.flatMap((ratio) => ratioLines(ratio, results)),
    ...GROWTHS.flatMap((growth) => growthLines(growth, results)),
    ...BOUNDS.flatMap((bound) => boundLines(bound, results)),
  ];
}

/** How a target is marked where it is shown. */
export function markOf({ reached, goalReached }: TargetLine): string {
  if (reached === undefined) return '';
  if (!reached) return 'MISSED';
  return goalReached ? 'goal reached' : 'reached';
}

function boundLines(bound: Bound, results: readonly Result[]): TargetLine[] {
  return results
    .filter((result) => isBound(result, bound))
    .map(({ value, unit, params }) => lineOf(bound, value, { what: bound.text, unit, where: describeCase(params) }));
}

function isBound({ contender, params, ...result }: Result, bound: Bound): boolean {
  if (result.scenario !== bound.scenario || result.metric !== bound.metric) return false;
  if (contender !== (bound.contender ?? 'skein')) return false;
  if (bound.threads !== undefined && bound.threads !== params.threads) return false;
  return bound.variants === undefined || bound.variants.includes(params.variant ?? '');
}

function ratioLines(ratio: Ratio, results: readonly Result[]): TargetLine[] {
  const found = results.filter(({ metric }) => metric === ratio.metric);
  return found
    .filter(({ contender }) => contender === ratio.of)
    .flatMap((one) => {
      const other = found.find((each) => each.contender === ratio.to && isSameCase(each, one));
      const what = `${ratio.of} ÷ ${ratio.to}`;
      const where = `${one.scenario}: ${describeCase(one.params)}`;
      return other ? [lineOf(ratio, one.value / other.value, { what, unit: '', where })] : [];
    });
}

function isSameCase(one: Result, other: Result): boolean {
  return one.scenario === other.scenario && describeCase(one.params) === describeCase(other.params);
}

function growthLines(growth: Growth, results: readonly Result[]): TargetLine[] {
  const at = (threads: number): Result | undefined =>
    results.find(
      ({ scenario, metric, contender, params }) =>
        scenario === growth.scenario && metric === growth.metric && contender === 'skein' && params.threads === threads,
    );
  const [from, to] = [at(growth.from), at(growth.to)];
  if (!from || !to) return [];
  const where = `${growth.scenario}: ${growth.from} to ${growth.to} threads`;
  return [lineOf(growth, growth.figure(from.value, to.value), { what: growth.text, unit: '', where })];
}

type Named = { readonly what: string; readonly unit: string; readonly where: string };

function lineOf({ min, max, goal }: Limit, value: number, { what, unit, where }: Named): TargetLine {
  const limit = max ?? min;
  const asked = limit === undefined ? '' : `, at ${max === undefined ? 'least' : 'most'} ${limit}`;
  const hoped = goal === undefined ? '' : ` (goal ${goal})`;
  const holds = (bar: number): boolean => (max === undefined ? value >= bar : value <= bar);
  return {
    name: `${what} (${where})`,
    text: `${what}: ${`${round(value)} ${unit}`.trimEnd()}${asked}${hoped} (${where})`,
    reached: limit === undefined ? undefined : holds(limit),
    ...(goal !== undefined && { goalReached: holds(goal) }),
  };
}

function round(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(Number.isInteger(value) || value >= 1 ? 2 : 3);
}
