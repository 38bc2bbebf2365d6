/** A state of a chart, by its path from the root: `running.calling`. */
export type ChartState = {
  readonly id: string;
  /** The path of the state it is in; `''` at the top. */
  readonly parent: string;
  readonly name: string;
  /** `any`: stands for whichever state inside its parent the machine is in. */
  readonly kind: 'atomic' | 'compound' | 'final' | 'any';
  readonly isInitial: boolean;
  readonly description: string | undefined;
  /** Events that it handles without leaving. */
  readonly stays: readonly string[];
};

/** What leads from one state to another; `events` as they are sent. */
export type ChartArrow = { readonly from: string; readonly to: string; readonly events: readonly string[] };

/** A chart as a graph. */
export type ChartGraph = { readonly states: readonly ChartState[]; readonly arrows: readonly ChartArrow[] };

/** Reads a chart as it is given to XState's `createMachine`; of what it does only states and transitions are looked at. */
export function readChart(chart: unknown): ChartGraph {
  const root = asNode(chart);
  const states = statesOf(root, '');
  const ids = new Set(states.map(({ id }) => id));
  const arrows = transitionsOf(root, '').flatMap(({ from, target, event }) => {
    const to = resolveTarget(target, { from, root: typeof root['id'] === 'string' ? root['id'] : '', ids });
    return to === undefined ? [] : [{ from, to, event }];
  });
  const inner = arrows.map((arrow) => (arrow.to.startsWith(`${arrow.from}.`) ? fromAny(arrow) : arrow));
  const any = new Set(inner.map(({ from }) => from).filter((from) => from.endsWith('.*')));
  return { states: [...states, ...[...any].map(anyState)], arrows: merged(inner) };
}

type Node = Readonly<Record<string, unknown>>;
type Transition = { readonly from: string; readonly target: string; readonly event: string };
type Arrow = { readonly from: string; readonly to: string; readonly event: string };

function asNode(value: unknown): Node {
  // Checked to be an object; its fields are looked at one by one.
  return typeof value === 'object' && value !== null ? (value as Node) : {};
}

function childrenOf(node: Node, path: string): { id: string; name: string; child: Node }[] {
  return Object.entries(asNode(node['states'])).map(([name, child]) => ({
    id: path === '' ? name : `${path}.${name}`,
    name,
    child: asNode(child),
  }));
}

function statesOf(node: Node, path: string): ChartState[] {
  return childrenOf(node, path).flatMap(({ id, name, child }) => {
    const { description } = child;
    const compound = Object.keys(asNode(child['states'])).length > 0;
    const state: ChartState = {
      id,
      parent: path,
      name,
      kind: child['type'] === 'final' ? 'final' : compound ? 'compound' : 'atomic',
      isInitial: node['initial'] === name,
      description: typeof description === 'string' ? description : undefined,
      stays: staysOf(child),
    };
    return [state, ...statesOf(child, id)];
  });
}

/** A transition without a target only acts. */
function staysOf(node: Node): string[] {
  return Object.entries(asNode(node['on'])).flatMap(([event, given]) =>
    [given].flat().some((one) => typeof one !== 'string' && asNode(one)['target'] === undefined) ? [event] : [],
  );
}

function transitionsOf(node: Node, path: string): Transition[] {
  const own = Object.entries(asNode(node['on'])).flatMap(([event, given]) =>
    [given].flat().flatMap((one) => {
      const target: unknown = typeof one === 'string' ? one : asNode(one)['target'];
      return typeof target === 'string' && path !== '' ? [{ from: path, target, event }] : [];
    }),
  );
  return [...own, ...childrenOf(node, path).flatMap(({ id, child }) => transitionsOf(child, id))];
}

/** `.child`, `sibling`, `sibling.child` or `#machine.state`. */
function resolveTarget(
  target: string,
  { from, root, ids }: { readonly from: string; readonly root: string; readonly ids: ReadonlySet<string> },
): string | undefined {
  const parent = from.includes('.') ? from.slice(0, from.lastIndexOf('.')) : '';
  const path = target.startsWith(`#${root}.`)
    ? target.slice(root.length + 2)
    : target.startsWith('.')
      ? from + target
      : parent === ''
        ? target
        : `${parent}.${target}`;
  return ids.has(path) ? path : undefined;
}

function fromAny({ from, to, event }: Arrow): Arrow {
  return { from: `${from}.*`, to, event };
}

function anyState(id: string): ChartState {
  const parent = id.slice(0, -2);
  return { id, parent, name: 'any step', kind: 'any', isInitial: false, description: undefined, stays: [] };
}

function merged(arrows: readonly Arrow[]): ChartArrow[] {
  const pairs = Map.groupBy(arrows, ({ from, to }) => `${from}>${to}`);
  return [...pairs.values()].flatMap((same) => {
    const [first] = same;
    return first ? [{ from: first.from, to: first.to, events: [...new Set(same.map(({ event }) => event))] }] : [];
  });
}
