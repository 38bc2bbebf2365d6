import type {
  ActorLogic,
  AnyActorRef,
  AnyActorScope,
  AnyMachineSnapshot,
  AnyStateMachine,
  EventObject,
  SnapshotFrom,
  StateValue,
} from 'xstate';

/**
 * Runs a chart from a table instead of interpreting it: 1.6 µs a turn against 37 (architecture, "What a spike measured").
 *
 * At start, every leaf state's transitions, guards and action lists are read from the machine once. The table reads
 * fields of XState that are not public, so XState is pinned and `compile.test.ts` holds the equivalence.
 *
 * Invariants:
 * 1. Anything the table can't express (built-in actions, invokes, `after`, `always`, history, parallel states, wildcard
 *    events, inline or parametrised guards) is left to XState: for that state, or for the whole machine.
 * 2. An actor that somebody looks at takes XState's own path, and its onlooker is told of every transition; all others go on
 *    from the table.
 * 3. Snapshots have XState's shape: persisting, `matches` and `can` work on them as on its own.
 * 4. An actor starts from a snapshot as XState starts it, but that one without children keeps its context as it is.
 */
export function compileMachine<Machine extends AnyStateMachine>(
  machine: Machine,
  onlookerOf: OnlookerOf = nobody,
): ActorLogic<SnapshotFrom<Machine>, EventObject> & Machine {
  const table = buildTable(machine);
  if (!table) return machine as ReturnType<typeof compileMachine<Machine>>;
  const compiled = Object.assign(Object.create(machine) as object, {
    getInitialSnapshot: (scope: AnyActorScope, input: unknown) =>
      table.initial ? initialSnapshot(table.initial, { input, scope }) : machine.getInitialSnapshot(scope, input),
    transition: (snapshot: AnyMachineSnapshot, event: EventObject, scope: AnyActorScope) => {
      const onlooker = onlookerOf(scope.self, event);
      if (onlooker) return watchedStep(machine, { snapshot, event, scope }, onlooker);
      const leaf = snapshot._nodes.at(-1);
      const row = leaf && table.rows.get(leaf.id);
      if (!row || event.type.startsWith('xstate.')) return machine.transition(snapshot, event, scope);
      return step(row, { snapshot, event, scope });
    },
    restoreSnapshot: (snapshot: AnyMachineSnapshot, scope: AnyActorScope) =>
      isChildless(snapshot) ? restoreAround(machine, snapshot, scope) : machine.restoreSnapshot(snapshot, scope),
  });
  return compiled as ReturnType<typeof compileMachine<Machine>>;
}

/** Whether it is a snapshot of an actor or of `resolveState`, not a persisted one, and has no actors to bring back. */
function isChildless({ _nodes, children }: Partial<AnyMachineSnapshot>): boolean {
  return _nodes !== undefined && children !== undefined && Object.keys(children).length === 0;
}

/** As XState restores it, but that it doesn't look for actors in all that the context holds: of a thread, its conversation. */
function restoreAround(
  machine: AnyStateMachine,
  snapshot: AnyMachineSnapshot,
  scope: AnyActorScope,
): AnyMachineSnapshot {
  const { context } = snapshot;
  return Object.assign(machine.restoreSnapshot({ ...snapshot, context: {} } as AnyMachineSnapshot, scope), { context });
}

/** Whoever looks at one actor. Neither call may throw. */
export type Onlooker = {
  /** An event is about to be handled. */
  readonly event: (event: EventObject) => void;
  /** What it has led to. */
  readonly snapshot: (snapshot: AnyMachineSnapshot, event: EventObject) => void;
};

/** Who looks at an actor while it handles an event. */
export type OnlookerOf = (actor: AnyActorRef, event: EventObject) => Onlooker | undefined;

function nobody(): undefined {
  return undefined;
}

type StateNode = AnyStateMachine['root'];
type ActionArgs = { context: unknown; event: EventObject; self: unknown; system: unknown };
type PlainAction = (args: ActionArgs, params: undefined) => void;
type PlainGuard = (args: { context: unknown; event: EventObject }, params: undefined) => boolean;
type Leaf = Pick<AnyMachineSnapshot, '_nodes' | 'value' | 'tags' | 'status'>;
type Edge = {
  readonly guard: PlainGuard | undefined;
  readonly actions: readonly PlainAction[];
  readonly target: Leaf | undefined;
};
type Row = { readonly machine: AnyStateMachine; readonly edges: ReadonlyMap<string, readonly Edge[]> };
type Table = { readonly rows: ReadonlyMap<string, Row>; readonly initial: AnyMachineSnapshot | undefined };
type Step = { readonly snapshot: AnyMachineSnapshot; readonly event: EventObject; readonly scope: AnyActorScope };

function watchedStep(
  machine: AnyStateMachine,
  { snapshot, event, scope }: Step,
  onlooker: Onlooker,
): AnyMachineSnapshot {
  onlooker.event(event);
  const next = machine.transition(snapshot, event, scope);
  onlooker.snapshot(next, event);
  return next;
}

function step(row: Row, { snapshot, event, scope }: Step): AnyMachineSnapshot {
  const edges = snapshot.status === 'active' ? row.edges.get(event.type) : undefined;
  if (!edges) return snapshot;
  for (const edge of edges) {
    if (edge.guard && !edge.guard({ context: snapshot.context, event }, undefined)) continue;
    const args = { context: snapshot.context, event, self: scope.self, system: scope.system };
    for (const action of edge.actions) action(args, undefined);
    return edge.target ? enter(snapshot, edge.target) : snapshot;
  }
  return snapshot;
}

/** The next snapshot: the old one with the state replaced. Written out, since a spread of it costs three times as much. */
function enter(from: AnyMachineSnapshot, leaf: Leaf, context: unknown = from.context): AnyMachineSnapshot {
  return {
    status: leaf.status,
    output: from.output,
    error: from.error,
    machine: from.machine,
    context,
    _nodes: leaf._nodes,
    value: leaf.value,
    tags: leaf.tags,
    children: from.children,
    historyValue: from.historyValue,
    matches: from.matches,
    hasTag: from.hasTag,
    can: from.can,
    getMeta: from.getMeta,
    toJSON: from.toJSON,
  } as AnyMachineSnapshot;
}

type Start = { readonly input: unknown; readonly scope: AnyActorScope };

/** An actor's first snapshot: all of them are alike but for the context. */
function initialSnapshot(blank: AnyMachineSnapshot, { input, scope }: Start): AnyMachineSnapshot {
  const { context } = blank.machine.config;
  const made = typeof context === 'function' ? context({ input, self: scope.self, spawn: refuseSpawn }) : context;
  return enter(blank, blank, made ?? {});
}

function refuseSpawn(): never {
  throw new Error('A compiled machine does not spawn from its context');
}

/** The table, or undefined when the machine as a whole is not plain. */
function buildTable(machine: AnyStateMachine): Table | undefined {
  if (machine.root.output !== undefined || machine.root.entry.length > 0 || !isPlainNode(machine.root))
    return undefined;
  const leaves = collectLeaves(machine.root);
  if (!leaves) return undefined;
  const rows = new Map<string, Row>();
  for (const leaf of leaves) {
    const edges = rowEdges(machine, leaf);
    if (edges) rows.set(leaf.id, { machine, edges });
  }
  const first = initialLeaf(machine.root);
  const quiet = pathOf(first).every((node) => node.entry.length === 0);
  return { rows, initial: quiet && first.type === 'atomic' ? blankIn(machine, first) : undefined };
}

function collectLeaves(node: StateNode): StateNode[] | undefined {
  if (node.type === 'atomic' || node.type === 'final') return [node];
  if (node.type !== 'compound') return undefined;
  const leaves: StateNode[] = [];
  for (const child of Object.values(node.states)) {
    const below = isPlainNode(child) ? collectLeaves(child) : undefined;
    if (!below || (child.type === 'final' && node.parent)) return undefined;
    leaves.push(...below);
  }
  return leaves;
}

function isPlainNode(node: StateNode): boolean {
  const { invoke, always, after, onDone } = node.config;
  return !invoke && !always && !after && !onDone && node.output === undefined;
}

/** What each event does in a leaf: candidates from the leaf outwards, as XState selects them. */
function rowEdges(machine: AnyStateMachine, leaf: StateNode): Map<string, Edge[]> | undefined {
  const edges = new Map<string, Edge[]>();
  for (const node of pathOf(leaf).toReversed()) {
    for (const [event, transitions] of node.transitions) {
      if (event.includes('*')) return undefined;
      const list = edges.get(event) ?? [];
      edges.set(event, list);
      for (const transition of transitions) {
        const edge = plainEdge(machine, leaf, transition);
        if (!edge) return undefined;
        list.push(edge);
      }
    }
  }
  return edges;
}

type Transition = StateNode['transitions'] extends Map<string, (infer T)[]> ? T : never;

function plainEdge(machine: AnyStateMachine, leaf: StateNode, transition: Transition): Edge | undefined {
  const { guard, target, reenter } = transition;
  const guardFn = guard === undefined ? undefined : machine.implementations.guards[guard as string];
  if (guard !== undefined && (typeof guardFn !== 'function' || 'check' in guardFn)) return undefined;
  const route =
    target && target.length === 1 && target[0] ? moveTo(leaf, { ...transition, target: target[0] }) : undefined;
  if ((target && target.length > 0 && !route) || (!target && reenter)) return undefined;
  const names = route ? [...route.exit, ...transition.actions, ...route.entry] : [...transition.actions];
  const actions = names.map((name) => plainAction(machine, name));
  if (actions.some((action) => action === undefined)) return undefined;
  return {
    guard: guardFn as PlainGuard | undefined,
    actions: actions as PlainAction[],
    target: route && leafOf(machine, route.leaf),
  };
}

type Move = { readonly exit: readonly unknown[]; readonly entry: readonly unknown[]; readonly leaf: StateNode };

/** The states left and entered on the way to a target, as SCXML defines them for charts without parallel states. */
function moveTo(
  from: StateNode,
  transition: { source: StateNode; target: StateNode; reenter: boolean },
): Move | undefined {
  const { source, target, reenter } = transition;
  if (target.type === 'history' || target.type === 'parallel') return undefined;
  const isInner = !reenter && (target === source || pathOf(target).includes(source));
  const domain = isInner ? source : commonAncestor(source, target);
  if (!domain) return undefined;
  const leaf = initialLeaf(target);
  const below = (node: StateNode): StateNode[] => pathOf(node).slice(pathOf(domain).length);
  const final = leaf.type === 'final' ? pathOf(leaf).toReversed() : [];
  return {
    exit: below(from)
      .toReversed()
      .flatMap((node) => node.exit),
    entry: [...below(leaf).flatMap((node) => node.entry), ...final.flatMap((node) => node.exit)],
    leaf,
  };
}

function commonAncestor(source: StateNode, target: StateNode): StateNode | undefined {
  const above = new Set(pathOf(target).slice(0, -1));
  return pathOf(source)
    .slice(0, -1)
    .findLast((node) => above.has(node));
}

function plainAction(machine: AnyStateMachine, action: unknown): PlainAction | undefined {
  const found = typeof action === 'string' ? machine.implementations.actions[action] : undefined;
  const known = found as (PlainAction & { resolve?: unknown }) | undefined;
  return typeof known === 'function' && known.resolve === undefined ? known : undefined;
}

function leafOf(machine: AnyStateMachine, leaf: StateNode): Leaf {
  const { tags, value } = blankIn(machine, leaf);
  return { _nodes: pathOf(leaf), tags, value, status: leaf.type === 'final' ? 'done' : 'active' };
}

/** A snapshot in a leaf with an empty context, as XState makes it. */
function blankIn(machine: AnyStateMachine, leaf: StateNode): AnyMachineSnapshot {
  const [, ...path] = pathOf(leaf);
  const value = path
    .toReversed()
    .reduce<unknown>((inner, node) => (inner === undefined ? node.key : { [node.key]: inner }), undefined);
  return machine.resolveState({ value: value as StateValue, context: {} });
}

function initialLeaf(node: StateNode): StateNode {
  const [inner] = node.type === 'compound' ? (node.initial?.target ?? []) : [];
  return inner ? initialLeaf(inner) : node;
}

/** From the root to the node. */
function pathOf(node: StateNode): StateNode[] {
  return node.parent ? [...pathOf(node.parent), node] : [node];
}
