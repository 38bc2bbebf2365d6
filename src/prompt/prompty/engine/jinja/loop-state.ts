import type { Run } from '../run.ts';

/** How far a loop is. */
export class LoopState {
  readonly elements: readonly unknown[];
  at = 0;
  /** What `changed` was asked about last. */
  seen: readonly unknown[] | undefined;

  constructor(elements: readonly unknown[]) {
    this.elements = elements;
  }
}

const MEMBERS: ReadonlyMap<string, (loop: LoopState) => unknown> = new Map<string, (loop: LoopState) => unknown>([
  ['index', ({ at }) => at + 1],
  ['index0', ({ at }) => at],
  ['revindex', ({ at, elements }) => elements.length - at],
  ['revindex0', ({ at, elements }) => elements.length - at - 1],
  ['first', ({ at }) => at === 0],
  ['last', ({ at, elements }) => at === elements.length - 1],
  ['length', ({ elements }) => elements.length],
  // Only recursive loops are ever deeper, and there are none.
  ['depth', () => 1],
  ['depth0', () => 0],
  ['previtem', ({ at, elements }) => elements[at - 1]],
  ['nextitem', ({ at, elements }) => elements[at + 1]],
]);

/** Reads a member of `loop` from the loop's slot; undefined if there is no such member. */
export function loopMember(name: unknown, slot: number): ((run: Run) => unknown) | undefined {
  const member = typeof name === 'string' ? MEMBERS.get(name) : undefined;
  return member && ((run) => member(loopState(run, slot)));
}

/** The state in a loop's slot. */
export function loopState(run: Run, slot: number): LoopState {
  const state = run.frame[slot];
  // The slot is filled before the loop's body, the only place that can read it.
  if (!(state instanceof LoopState)) throw run.error('template_value', 'loop is read outside of its loop');
  return state;
}
