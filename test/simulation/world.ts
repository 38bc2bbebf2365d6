import type { Schedule } from '../../src/core/batched-port.ts';
import type { Clock } from '../../src/core/clock.ts';

/**
 * A world of one thread, in which a seed decides what happens next.
 *
 * Owns: the time, what waits to be done, and for whom. Doesn't own: what is done.
 *
 * Invariants:
 * 1. What waits in one lane is done in the order in which it came; between lanes the seed decides, some lanes being slow.
 * 2. Time stands still while something is done, and goes on by itself between two steps; timers fire in their order.
 * 3. Of a node that was killed nothing is done any more.
 */
export interface World {
  readonly random: () => number;
  readonly now: () => number;
  /** Steps that were done. */
  readonly steps: () => number;
  node(name: string): Node;
  /** Does one thing; false if nothing waits, and nothing but timers came of so many milliseconds. */
  step(patienceMs: number): boolean;
  /** Says what happens, to whoever wants to compare. */
  readonly note: (what: () => string) => void;
}

/** A part of the world that lives and dies as a whole: a process, a thread of it. */
export interface Node {
  readonly name: string;
  readonly isAlive: () => boolean;
  readonly clock: Clock;
  /** The ends of its ticks. */
  readonly schedule: Schedule;
  /** A new lane of things to be done in it. */
  lane(name: string): (run: () => void) => void;
  kill(): void;
}

type Lane = { readonly name: string; readonly node: Node; readonly weight: number; readonly queue: (() => void)[] };
type Alarm = { readonly at: number; readonly node: Node; readonly fire: () => void };
type State = {
  readonly random: () => number;
  readonly note: World['note'];
  readonly lanes: Lane[];
  readonly alarms: Map<number, Alarm>;
  nextAlarm: number;
  now: number;
  /** When something other than a timer was done last. */
  busyAt: number;
};

const BEGINNING = Date.UTC(2026, 0, 1);
/** How much slower than the fastest the slowest lane is. */
const SLOWEST = 1 / 50;
/** How often a step takes a millisecond, and how often time runs to the next timer while something else waits. */
const TICKS = 0.2;
const OVERTAKES = 0.02;

/** Makes a world. `trace` hears of everything that happens in it. */
export function createWorld(random: () => number, trace?: (line: string) => void): World {
  const note = (what: () => string): void => trace?.(what());
  const state: State = { random, note, lanes: [], alarms: new Map(), nextAlarm: 1, now: BEGINNING, busyAt: BEGINNING };
  let steps = 0;
  return {
    random,
    now: () => state.now,
    steps: () => steps,
    node: (name) => createNode(name, state),
    note,
    step(patienceMs) {
      steps++;
      if (random() < TICKS) state.now++;
      const lane = pick(state);
      const alarm = nextAlarm(state, patienceMs);
      if (alarm && (!lane || alarm[1].at <= state.now || random() < OVERTAKES)) ring(alarm, state);
      else if (lane) run(lane, state);
      return lane !== undefined || alarm !== undefined;
    },
  };
}

function createNode(name: string, state: State): Node {
  let isAlive = true;
  const lane = (what: string): ((run: () => void) => void) => {
    const queue: (() => void)[] = [];
    const made: Lane = { name: `${name} ${what}`, node, queue, weight: SLOWEST ** state.random() };
    state.lanes.push(made);
    return (run) => isAlive && void queue.push(run);
  };
  const node: Node = {
    name,
    isAlive: () => isAlive,
    clock: createClock(() => node, state),
    schedule: (run) => ticks(run),
    lane,
    kill() {
      isAlive = false;
      for (let at = state.lanes.length - 1; at >= 0; at--)
        if (state.lanes[at]?.node === node) state.lanes.splice(at, 1);
      for (const [id, alarm] of state.alarms) if (alarm.node === node) state.alarms.delete(id);
    },
  };
  const ticks = lane('ticks');
  return node;
}

function createClock(node: () => Node, state: State): Clock {
  return {
    now: () => state.now,
    stopwatch: () => state.now,
    setTimer(delayMs, fire) {
      const id = state.nextAlarm++;
      if (node().isAlive())
        state.alarms.set(id, { at: Math.ceil(state.now + Math.max(0, delayMs)), node: node(), fire });
      return id;
    },
    clearTimer: (timer) => void (typeof timer === 'number' && state.alarms.delete(timer)),
  };
}

/** A lane in which something waits, the faster ones more often. */
function pick({ lanes, random, note }: State): Lane | undefined {
  const busy = lanes.filter(({ queue }) => queue.length > 0);
  let left = random() * busy.reduce((sum, { weight }) => sum + weight, 0);
  const lane = busy.find(({ weight }) => (left -= weight) < 0) ?? busy.at(-1);
  if (lane) note(() => lane.name);
  return lane;
}

function nextAlarm({ alarms, busyAt }: State, patienceMs: number): [number, Alarm] | undefined {
  let next: [number, Alarm] | undefined;
  for (const entry of alarms) if (!next || entry[1].at < next[1].at) next = entry;
  return next && next[1].at <= busyAt + patienceMs ? next : undefined;
}

function run({ queue }: Lane, state: State): void {
  state.busyAt = state.now;
  queue.shift()?.();
}

function ring([id, { at, node, fire }]: [number, Alarm], state: State): void {
  state.alarms.delete(id);
  state.now = Math.max(state.now, at);
  state.note(() => `${node.name} timer ${state.now - BEGINNING}`);
  fire();
}
