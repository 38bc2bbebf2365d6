import type { ChartGraph, ChartState } from '../inspect/chart/chart-graph.ts';

/** A chart as lines of ASCII: each state with the events that lead out of it, and the states inside of it below. */
export function chartToText(graph: ChartGraph): string {
  return levelLines('', graph)
    .map((line) => `${line}\n`)
    .join('');
}

function levelLines(parent: string, graph: ChartGraph): string[] {
  const members = graph.states.filter((state) => state.parent === parent);
  return members.flatMap((state) => [
    headOf(state),
    ...waysOf(state, graph).map((line) => `    ${line}`),
    ...levelLines(state.id, graph).map((line) => `  | ${line}`),
  ]);
}

function headOf({ name, kind, isInitial }: ChartState): string {
  if (kind === 'final') return `((${name}))`;
  return `${isInitial ? '-> ' : ''}${kind === 'any' ? `(${name})` : `[${name}]`}`;
}

/** In a column, since a state has up to ten. */
function waysOf({ id, stays }: ChartState, { arrows }: ChartGraph): readonly string[] {
  const out = arrows
    .filter(({ from }) => from === id)
    .flatMap(({ to, events }) => events.map((event) => [event, `--> ${to}`] as const));
  const ways = [...stays.map((event) => [event, '(stays)'] as const), ...out];
  const width = Math.max(0, ...ways.map(([event]) => event.length));
  return ways.map(([event, to]) => `${event.padEnd(width)} ${to}`);
}
