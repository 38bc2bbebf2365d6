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
const PADDING = 12;

/**
 * Places a chart from top to bottom, level by level: what is inside a state is laid out first, and its size is that state's.
 * An arrow across a border begins or ends at the border.
 */
export function layoutChart(
  graph: ChartGraph,
  { labelRoom = LABEL_ROOM, withStays = false }: LayoutOptions = {},
): ChartPicture {
  return layoutLevel('', { graph, labelRoom, withStays });
}

/**
 * `labelRoom`: how much of the width of labels is kept free for them, up to 1. `withStays`: each state has a line for every event
 * that it handles without leaving, below its name.
 */
export type LayoutOptions = { readonly labelRoom?: number; readonly withStays?: boolean };

type Whole = Required<LayoutOptions> & { readonly graph: ChartGraph };

function layoutLevel(parent: string, { graph, ...options }: Whole): ChartPicture {
  const members = graph.states.filter((state) => state.parent === parent);
  const inner = new Map(
    members
      .filter(({ kind }) => kind === 'compound')
      .map(({ id }) => [id, layoutLevel(id, { graph, ...options })] as const),
  );
  const arrows = liftedArrows(parent, graph.arrows);
  const placed = place({ members, arrows, inner, ...options });
  /** Where what is inside of a state begins. */
  const insideOf = (state: ChartState): Point => {
    const { x, y } = placed.at(state.id);
    return { x, y: y + headHeight(state, options) };
  };
  const states = members.flatMap((state) => {
    const by = insideOf(state);
    return [{ ...state, ...placed.at(state.id) }, ...(inner.get(state.id)?.states ?? []).map((one) => moved(one, by))];
  });
  const insideArrows = members.flatMap((state) =>
    (inner.get(state.id)?.arrows ?? []).map((arrow) => movedArrow(arrow, insideOf(state))),
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

type Point = { readonly x: number; readonly y: number };
type Box = Point & { readonly width: number; readonly height: number };
type Level = Required<LayoutOptions> & {
  readonly members: readonly ChartState[];
  readonly arrows: readonly Lifted[];
  readonly inner: ReadonlyMap<string, ChartPicture>;
};

function place({ members, arrows, inner, labelRoom, withStays }: Level) {
  const graph = new Graph({ multigraph: true });
  graph.setGraph({ rankdir: 'TB', nodesep: 14, edgesep: 7, ranksep: 13, marginx: PADDING, marginy: PADDING });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const state of members) graph.setNode(state.id, sizeOf(state, { inside: inner.get(state.id), withStays }));
  const order = new Map(members.map(({ id, kind }, at) => [id, kind === 'any' ? -1 : at]));
  // A chart is written in the order it is read: what leads back is laid out the other way round, then turned again.
  const isBack = ({ from, to }: Lifted): boolean => (order.get(to) ?? 0) < (order.get(from) ?? 0);
  const [loops, ways] = [arrows.filter(({ from, to }) => from === to), arrows.filter(({ from, to }) => from !== to)];
  for (const arrow of ways) {
    const [first, second] = isBack(arrow) ? [arrow.to, arrow.from] : [arrow.from, arrow.to];
    graph.setEdge(
      first,
      second,
      { ...labelSize(arrow.events, labelRoom), labelpos: 'c' },
      isBack(arrow) ? 'back' : 'on',
    );
  }
  layout(graph);
  const { width = 0, height = 0 } = graph.graph();
  const at = (id: string): Box => {
    const { x, y, width, height } = graph.node(id);
    return { x: x - width / 2, y: y - height / 2, width, height };
  };
  const placed = ways.map((arrow): PlacedArrow => {
    const back = isBack(arrow);
    const { points, x, y } = back ? graph.edge(arrow.to, arrow.from, 'back') : graph.edge(arrow.from, arrow.to, 'on');
    return { ...arrow, points: back ? points.toReversed() : points, label: { x: x ?? 0, y: y ?? 0 } };
  });
  return { width, height, at, arrows: [...placed, ...loops.map((arrow) => loop(arrow, at(arrow.from)))] };
}

/** A way from a state to itself: out at its right side and in again. */
function loop(arrow: Lifted, { x, y, width, height }: Box): PlacedArrow {
  const [side, out] = [x + width, x + width + 14];
  const [upper, lower] = [y + height * 0.25, y + height * 0.75];
  const points = [
    { x: side, y: upper },
    { x: out, y: upper },
    { x: out, y: lower },
    { x: side, y: lower },
  ];
  return { ...arrow, points, label: { x: out + 8, y: y + height / 2 } };
}

type Sizing = Pick<Level, 'withStays'> & { readonly inside: ChartPicture | undefined };

function sizeOf(state: ChartState, { inside, withStays }: Sizing): { width: number; height: number } {
  const height = headHeight(state, { withStays });
  const longest = withStays ? Math.max(0, ...state.stays.map((event) => event.length)) * CHARACTER.label : 0;
  const width = Math.round(Math.max(state.name.length * CHARACTER.state, longest) + 24);
  if (inside) return { width: Math.max(width, inside.width), height: inside.height + height };
  return { width, height };
}

/** Of its name, and the events below it. */
function headHeight({ kind, stays }: ChartState, { withStays }: Pick<Level, 'withStays'>): number {
  const name = kind === 'compound' ? LINE.title : LINE.state;
  return withStays ? name + stays.length * LINE.label : name;
}

/** Labels reach over their neighbourhood: with room for all of their width, the picture would be twice as wide. */
const LABEL_ROOM = 0.3;

function labelSize(events: readonly string[], room: number): { width: number; height: number } {
  const longest = Math.max(...events.map((event) => event.length));
  return { width: longest * CHARACTER.label * room, height: events.length * LINE.label + 2 };
}

function moved<Placed extends Point>(one: Placed, by: Point): Placed {
  return { ...one, x: one.x + by.x, y: one.y + by.y };
}

function movedArrow(arrow: PlacedArrow, by: Point): PlacedArrow {
  return { ...arrow, points: arrow.points.map((point) => moved(point, by)), label: moved(arrow.label, by) };
}
