import { setup } from 'xstate';
import { supervisorChart } from './supervisor.chart.ts';

/**
 * The supervisor of a runtime: what may happen to threads in which phase of the runtime's life. Pure: its actions are
 * given by `src/host`; each event carries what its action needs.
 */
export type SupervisorEvent =
  | { readonly type: 'READY' }
  | { readonly type: 'FAILED'; readonly problem: unknown }
  /** A root thread is asked for. */
  | { readonly type: 'SPAWN'; readonly order: unknown }
  /** A worker has prepared a thread, root or child. */
  | { readonly type: 'PREPARED'; readonly order: unknown }
  /** The store has written its row and reserved its budget. */
  | { readonly type: 'ADMITTED'; readonly thread: number }
  | { readonly type: 'SLOT_FREE' }
  /** A thread waits for its children and needs no slot. */
  | { readonly type: 'WAITING'; readonly thread: number }
  | { readonly type: 'ENDED'; readonly thread: number; readonly ending: unknown }
  /** It has handed over: its ending and its successor's row are on disk. */
  | { readonly type: 'CONTINUED'; readonly thread: number; readonly ending: unknown; readonly successor: unknown }
  | { readonly type: 'SUSPENDED'; readonly thread: number; readonly reason: string; readonly cost: unknown }
  | { readonly type: 'RESUME'; readonly order: unknown }
  | { readonly type: 'CANCEL'; readonly thread: number; readonly reason: string; readonly whole?: Whole }
  | { readonly type: 'DRAIN'; readonly graceMs: number }
  | { readonly type: 'GRACE_OVER' }
  /** Nothing runs any more, and nothing is being written. */
  | { readonly type: 'EMPTY' };

/** A cancellation of everything below a thread, whatever the child policy says; `meets` is called for each open thread. */
export type Whole = { readonly meets: () => void };

/** Names of the effects the chart asks for. */
export const SUPERVISOR_ACTIONS = [
  'prepareThread',
  'admitThread',
  'queueThread',
  'keepThread',
  'assignThreads',
  'yieldSlot',
  'endThread',
  'continueThread',
  'keepSuccessor',
  'suspendThread',
  'resumeThread',
  'cancelTree',
  'refuseQueued',
  'shortenGrace',
  'suspendRest',
  'stop',
] as const;

/** Name of an effect of the supervisor machine. */
export type SupervisorAction = (typeof SUPERVISOR_ACTIONS)[number];

const effect = (): void => undefined;
const effects = Object.fromEntries(SUPERVISOR_ACTIONS.map((name) => [name, effect])) as Record<
  SupervisorAction,
  () => void
>;

/** The supervisor machine without effects. */
export const supervisorMachine = setup({
  types: { events: {} as SupervisorEvent },
  actions: effects,
}).createMachine({ ...supervisorChart, context: {} });
