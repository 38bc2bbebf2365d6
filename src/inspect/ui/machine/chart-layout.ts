import { Graph, layout } from '@dagrejs/dagre';
import type { ChartArrow, ChartGraph, ChartState } from './chart-graph.ts';

/** A state in the picture; `x` and `y` are its upper left corner. */
export type PlacedState = ChartState & {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
};

/** A way between states: the points of its line, and the middle of its label. */
export type PlacedArrow = ChartArrow & {
  /** The states themselves, if the line ends at a state around them. */
  readonly ends: readonly { readonly from: string; readonly to: string }[];
  readonly points: readonly { readonly x: number; readonly y: number }[];
  readonly label: { readonly x: number; readonly y: number };
};

/** A chart with places for everything, in pixels. */
export type ChartPicture = {
  readonly width: number;
  readonly height: number;
  readonly states: readonly PlacedState[];
  readonly arrows: readonly PlacedArrow[];
};

/** Height of a state's first line, and of a line of a label. */
export const LINE = { state: 26, title: 24, label: 11 } as const;

const CHARACTER = { state: 6.6, label: 5.1 } as const;
const PADDING = 14;

/**
 * Places a chart from top to bottom, level by level: what is inside a state is laid out first, and its size is that state's.
 * An arrow across a border begins or ends at the border.
 */
export function layoutChart(graph: ChartGraph): ChartPicture {
  return layoutLevel('', graph);
}

function layoutLevel(parent: string, graph: ChartGraph): ChartPicture {
  const members = graph.states.filter((state) => state.parent === parent);
  const inner = new Map(
    members.filter(({ kind }) => kind === 'compound').map(({ id }) => [id, layoutLevel(id, graph)] as const),
  );
  const arrows = liftedArrows(parent, graph.arrows);
  const placed = place({ members, arrows, inner });
  const states = members.flatMap((state) => {
    const at = placed.at(state.id);
    return [{ ...state, ...at }, ...(inner.get(state.id)?.states ?? []).map((one) => moved(one, at))];
  });
  const insideArrows = members.flatMap(({ id }) =>
    (inner.get(id)?.arrows ?? []).map((arrow) => movedArrow(arrow, placed.at(id))),
  );
  return { width: placed.width, height: placed.height, states, arrows: [...placed.arrows, ...insideArrows] };
}

type Lifted = ChartArrow & Pick<PlacedArrow, 'ends'>;

/** The arrows whose ends lie in different members of a level, as arrows between these members. */
function liftedArrows(parent: string, arrows: readonly ChartArrow[]): Lifted[] {
  const prefix = parent === '' ? '' : `${parent}.`;
  const memberOf = (id: string): string | undefined =>
    id.startsWith(prefix) ? prefix + (id.slice(prefix.length).split('.')[0] ?? '') : undefined;
  const between = arrows.flatMap((arrow) => {
    const from = memberOf(arrow.from);
    const to = memberOf(arrow.to);
    const inside = from === to && (arrow.from !== from || arrow.to !== to);
    return from === undefined || to === undefined || inside ? [] : [{ arrow, from, to }];
  });
  return [...Map.groupBy(between, ({ from, to }) => `${from}>${to}`).values()].map((same) => ({
    from: same[0]?.from ?? '',
    to: same[0]?.to ?? '',
    events: [...new Set(same.flatMap(({ arrow }) => arrow.events))],
    ends: same.map(({ arrow: { from, to } }) => ({ from, to })),
  }));
}

type Box = { readonly x: number; readonly y: number; readonly width: number; readonly height: number };
type Level = {
  readonly members: readonly ChartState[];
  readonly arrows: readonly Lifted[];
  readonly inner: ReadonlyMap<string, ChartPicture>;
};

function place({ members, arrows, inner }: Level) {
  const graph = new Graph({ multigraph: false });
  graph.setGraph({ rankdir: 'TB', nodesep: 18, edgesep: 8, ranksep: 16, marginx: PADDING, marginy: PADDING });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const state of members) graph.setNode(state.id, sizeOf(state, inner.get(state.id)));
  for (const { from, to, events } of arrows) graph.setEdge(from, to, { ...labelSize(events), labelpos: 'c' });
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const at = (id: string): Box => {
    const { x, y, width, height } = graph.node(id);
    return { x: x - width / 2, y: y - height / 2, width, height };
  };
  const placed = arrows.map((arrow): PlacedArrow => {
    const { points, x, y } = graph.edge(arrow.from, arrow.to);
    return { ...arrow, points, label: { x: x ?? 0, y: y ?? 0 } };
  });
  return { width, height, at, arrows: placed };
}

function sizeOf({ name }: ChartState, inside: ChartPicture | undefined): { width: number; height: number } {
  if (inside) return { width: inside.width, height: inside.height + LINE.title };
  return { width: Math.round(name.length * CHARACTER.state + 30), height: LINE.state };
}

function labelSize(events: readonly string[]): { width: number; height: number } {
  const longest = Math.max(...events.map((event) => event.length));
  return { width: longest * CHARACTER.label + 6, height: events.length * LINE.label + 2 };
}

function moved<Placed extends { readonly x: number; readonly y: number }>(one: Placed, by: Box): Placed {
  return { ...one, x: one.x + by.x, y: one.y + by.y + LINE.title };
}

function movedArrow(arrow: PlacedArrow, by: Box): PlacedArrow {
  return { ...arrow, points: arrow.points.map((point) => moved(point, by)), label: moved(arrow.label, by) };
}
