import { threadChart } from '../../../machines/thread.chart.ts';

/**
 * What the host writes for threads that no worker holds, beside the chart: one in line is suspended, one that could not go on
 * is suspended again, and a person's refusal ends a suspended one.
 */
const PARKED = ['created>suspended', 'suspended>suspended', 'suspended>error'];

/** Edges `from>to` between the states of a thread, as the chart draws them, with those of parked threads (M1). */
export function legalEdges(): ReadonlySet<string> {
  const edges = Object.entries(threadChart.states).flatMap(([from, state]) =>
    targetsIn(state).map((to) => `${from}>${to}`),
  );
  return new Set([...edges.filter((edge) => !isInner(edge)), ...PARKED]);
}

/** Steps of a turn leave the thread running. */
function isInner(edge: string): boolean {
  const [from, to] = edge.split('>');
  return from === to;
}

/** Names of outer states that a state's transitions lead to, those of the states within it included. */
function targetsIn(node: unknown): string[] {
  if (typeof node === 'string') return outerState(node);
  if (typeof node !== 'object' || node === null) return [];
  const { on, states, target } = node as {
    readonly on?: unknown;
    readonly states?: unknown;
    readonly target?: unknown;
  };
  const list = Array.isArray(node) ? node : [target];
  return [...list, ...valuesOf(on), ...valuesOf(states)].flatMap(targetsIn);
}

function valuesOf(map: unknown): unknown[] {
  return typeof map === 'object' && map !== null ? Object.values(map) : [];
}

/** `completed` of `#thread.completed`, `running` of `running.checkpointing`; what is within a state is none of its own. */
function outerState(target: string): string[] {
  const name = target.replace(/^#thread\./, '').split('.')[0] ?? '';
  return Object.hasOwn(threadChart.states, name) ? [name] : [];
}
