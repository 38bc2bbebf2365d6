import { describeCase, type Result } from './results.ts';

/** A number to be reached, and whether it was; undefined = shown for information. */
export type TargetLine = { readonly text: string; readonly reached: boolean | undefined };

type Bound = {
  readonly scenario: string;
  readonly metric: string;
  /** At most so much; with `min`, at least so much. */
  readonly max?: number;
  readonly min?: number;
  readonly text: string;
  /** Forms of the scenario it holds for; default: all. */
  readonly variants?: readonly string[];
};

/** Longest task on the host, in ms. */
const MAX_HOST_TASK = 20;

/** What the issues about the runtime and the items ask for; a bound's unit is the metric's. */
const BOUNDS: readonly Bound[] = [
  { scenario: 'fanout', metric: 'events_lost', max: 0, text: 'events lost' },
  { scenario: 'fanout', metric: 'money_difference', max: 0, text: 'money difference' },
  { scenario: 'parked', metric: 'heap_per_thread', max: 10_240, text: 'heap of a parked thread' },
  { scenario: 'idle', metric: 'start_time', max: 1, text: 'start with suspended threads' },
  { scenario: 'idle', metric: 'resume_p50', max: 10, text: 'resumption of a suspended thread' },
  {
    scenario: 'idle',
    metric: 'heap_per_thread',
    max: 256,
    text: 'heap of a suspended or queued thread',
    variants: ['suspended', 'queued'],
  },
  { scenario: 'cancel', metric: 'cancel_latency', max: 400, text: 'cancel to the last acknowledged ending' },
  { scenario: 'cancel', metric: 'calls_after_50ms', max: 0, text: 'model calls started 50 ms after a cancel' },
  {
    scenario: 'cancel',
    metric: 'host_task_max',
    max: MAX_HOST_TASK,
    text: 'longest host task',
    variants: ['tree', 'tree-busy'],
  },
  {
    scenario: 'cancel',
    metric: 'host_task_after_loop',
    max: MAX_HOST_TASK,
    text: "longest host task after the caller's loop",
  },
  { scenario: 'host', metric: 'host_task_max', max: MAX_HOST_TASK, text: 'longest host task' },
  { scenario: 'items', metric: 'index_time', max: 10, text: 'first index' },
  { scenario: 'items', metric: 'query_p95', max: 20, text: 'query, p95' },
  { scenario: 'items', metric: 'query_max', max: 20, text: 'query, slowest' },
  { scenario: 'prompt', metric: 'prompts_cached', min: 5000, text: 'prompts of directives seen before' },
  { scenario: 'prompt', metric: 'prompts_cold', min: 300, text: 'prompts of directives not seen before' },
  { scenario: 'prompty', metric: 'templates_cached', min: 50_000, text: 'renders of a template seen before' },
  { scenario: 'prompty', metric: 'templates_anew', min: 10_000, text: 'renders of a template not seen before' },
  { scenario: 'assembly', metric: 'assembly_time', max: 10, text: 'prompt in tiers after an edit' },
  costBound('cache-aware', 0.55),
  costBound('cache-aware-redundant', 0.48),
  costBound('append-only', 0.3),
  { scenario: 'cache', metric: 'cache_dearer', max: 0, text: 'sessions that cost as much as with one mark' },
  { scenario: 'provider', metric: 'call_ratio', max: 3, text: 'a streamed call against plain undici' },
  { scenario: 'symbols', metric: 'symbols_cold', max: 20, text: 'symbols of a project not seen before' },
  { scenario: 'symbols', metric: 'symbols_warm', max: 1, text: 'symbols in a new process, from the cache' },
  { scenario: 'symbols', metric: 'host_task_max', max: MAX_HOST_TASK, text: 'longest host task' },
  { scenario: 'spawn', metric: 'spawn_ratio', max: 1.2, text: 'cost of a late spawn against an early one' },
];

function costBound(variant: string, max: number): Bound {
  return { scenario: 'cache', metric: 'cache_cost', max, text: 'cost ÷ no cache', variants: [variant] };
}

/** CPU per turn of LangGraph.js against Skein's. */
const MIN_ADVANTAGE = 8;

/** Holds results against the targets; those that were not measured are left out. */
export function checkTargets(results: readonly Result[]): TargetLine[] {
  const bounds = BOUNDS.flatMap((bound) =>
    results
      .filter((result) => isBound(result, bound))
      .map(({ value, unit, params }) => ({
        text: `${bound.text}: ${`${round(value)} ${unit}`.trimEnd()}, ${limitOf(bound)} (${describeCase(params)})`,
        reached: value <= (bound.max ?? Infinity) && value >= (bound.min ?? -Infinity),
      })),
  );
  return [...ratios(results), ...bounds];
}

function limitOf({ max, min }: Bound): string {
  return max === undefined ? `at least ${min}` : `at most ${max}`;
}

function isBound({ contender, params, ...result }: Result, { scenario, metric, variants }: Bound): boolean {
  if (result.scenario !== scenario || result.metric !== metric || contender !== 'skein') return false;
  return variants === undefined || variants.includes(params.variant ?? '');
}

function ratios(results: readonly Result[]): TargetLine[] {
  const perTurn = results.filter(({ metric }) => metric === 'cpu_per_turn');
  return perTurn
    .filter(({ contender }) => contender !== 'skein')
    .flatMap((other) => {
      const skein = perTurn.find(({ contender, params }) => contender === 'skein' && sameCase(params, other.params));
      if (!skein) return [];
      const name = describeCase(other.params);
      if (other.contender === 'langgraph') {
        const ratio = other.value / skein.value;
        return {
          text: `LangGraph.js ÷ Skein: ${round(ratio)}, at least ${MIN_ADVANTAGE} (${name})`,
          reached: ratio >= MIN_ADVANTAGE,
        };
      }
      return { text: `Skein ÷ ${other.contender}: ${round(skein.value / other.value)} (${name})`, reached: undefined };
    });
}

function sameCase(one: Result['params'], other: Result['params']): boolean {
  return describeCase(one) === describeCase(other);
}

function round(value: number): string {
  if (value >= 100) return value.toFixed(0);
  return value.toFixed(Number.isInteger(value) || value >= 1 ? 2 : 3);
}
