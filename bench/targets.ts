import { describeCase, type Result } from './results.ts';

/** A number to be reached, and whether it was; undefined = shown for information. */
export type TargetLine = { readonly text: string; readonly reached: boolean | undefined };

type Bound = {
  readonly scenario: string;
  readonly metric: string;
  readonly max: number;
  readonly text: string;
  readonly variant?: string;
};

/** What the runtime's first issue asks for; its unit is the metric's. */
const BOUNDS: readonly Bound[] = [
  { scenario: 'fanout', metric: 'events_lost', max: 0, text: 'events lost' },
  { scenario: 'fanout', metric: 'money_difference', max: 0, text: 'money difference' },
  { scenario: 'parked', metric: 'heap_per_thread', max: 10_240, text: 'heap of a parked thread' },
  { scenario: 'cancel', metric: 'cancel_latency', max: 400, text: 'cancel to the last acknowledged ending' },
  { scenario: 'cancel', metric: 'calls_after_50ms', max: 0, text: 'model calls started 50 ms after a cancel' },
  { scenario: 'host', metric: 'host_task_max', max: 20, text: 'longest host task' },
  { scenario: 'spawn', metric: 'spawn_ratio', max: 1.2, text: 'cost of a late spawn against an early one' },
];

/** CPU per turn of LangGraph.js against Skein's. */
const MIN_ADVANTAGE = 8;

/** Holds results against the targets; those that were not measured are left out. */
export function checkTargets(results: readonly Result[]): TargetLine[] {
  const bounds = BOUNDS.flatMap(({ scenario, metric, max, text }) =>
    results
      .filter((result) => result.scenario === scenario && result.metric === metric && result.contender === 'skein')
      .map(({ value, unit, params }) => ({
        text: `${text}: ${round(value)} ${unit}, at most ${max} (${describeCase(params)})`,
        reached: value <= max,
      })),
  );
  return [...ratios(results), ...bounds];
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
  return value >= 100 ? value.toFixed(0) : value.toFixed(2);
}
