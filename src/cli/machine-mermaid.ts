import type { ChartGraph, ChartState } from '../inspect/chart/chart-graph.ts';

/** A chart as a Mermaid state diagram, which many pages and editors draw. */
export function chartToMermaid(graph: ChartGraph): string {
  return `${['stateDiagram-v2', ...levelLines('', graph).map((line) => `  ${line}`)].join('\n')}\n`;
}

function levelLines(parent: string, graph: ChartGraph): string[] {
  const members = graph.states.filter((state) => state.parent === parent);
  return [
    ...members.filter(({ isInitial }) => isInitial).map(({ id }) => `[*] --> ${nameOf(id)}`),
    ...members.flatMap((state) => stateLines(state, graph)),
    ...graph.arrows
      .filter(({ from }) => members.some(({ id }) => id === from))
      .map(({ from, to, events }) => `${nameOf(from)} --> ${nameOf(to)}: ${events.join(', ')}`),
    ...members.filter(({ kind }) => kind === 'final').map(({ id }) => `${nameOf(id)} --> [*]`),
  ];
}

function stateLines({ id, name, kind, stays }: ChartState, graph: ChartGraph): string[] {
  const inside = kind === 'compound' ? levelLines(id, graph).map((line) => `  ${line}`) : [];
  const declared = `state "${name}" as ${nameOf(id)}`;
  const handled = stays.length === 0 ? [] : [`${nameOf(id)}: ${name} (${stays.join(', ')})`];
  return inside.length === 0 ? [declared, ...handled] : [`${declared} {`, ...inside, '}'];
}

/** Dots and stars are no part of a name there. */
function nameOf(id: string): string {
  return id.replaceAll('.', '__').replaceAll('*', 'any');
}
