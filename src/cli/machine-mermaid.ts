import type { ChartArrow, ChartGraph, ChartState } from '../inspect/chart/chart-graph.ts';

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
      .filter((arrow) => levelOf(arrow) === parent)
      .map(({ from, to, events }) => `${nameOf(from)} --> ${nameOf(to)}: ${events.join(', ')}`),
    ...members.filter(({ kind }) => kind === 'final').map(({ id }) => `${nameOf(id)} --> [*]`),
  ];
}

/** The innermost state around both ends: a state that is named inside another before it is declared would be drawn there. */
function levelOf({ from, to }: ChartArrow): string {
  const [one, other] = [from.split('.').slice(0, -1), to.split('.').slice(0, -1)];
  const differs = one.findIndex((name, at) => name !== other[at]);
  return (differs === -1 ? one : one.slice(0, differs)).join('.');
}

/** Events that it handles itself are lines below a state's name; one that has others inside can have them in its name alone. */
function stateLines({ id, name, kind, stays }: ChartState, graph: ChartGraph): string[] {
  if (kind !== 'compound') {
    return [`state "${name}" as ${nameOf(id)}`, ...stays.map((event) => `${nameOf(id)}: ${event}`)];
  }
  const title = stays.length === 0 ? name : `${name} (${stays.join(', ')})`;
  return [`state "${title}" as ${nameOf(id)} {`, ...levelLines(id, graph).map((line) => `  ${line}`), '}'];
}

/** Dots and stars are no part of a name there. */
function nameOf(id: string): string {
  return id.replaceAll('.', '__').replaceAll('*', 'any');
}
