import type { WaitingCall } from '../../core/protocol.ts';
import type { WaitAnswer } from './waits.ts';

/** Which question of which worker is to be answered. */
export type Asker = { readonly worker: number; readonly ref: number };

/** A wait of a thread for others that has not been answered. */
export type OpenWait = {
  /** The call of the thread's model that waits; undefined = an action of one of its hooks does. */
  readonly call: WaitingCall | undefined;
  /** The thread does something else, with a slot or without: it needs none for the answer. */
  readonly isBeside: boolean;
  /** Since when, on the process's stopwatch. */
  readonly since: number;
  /** Undefined while the thread is in no worker. */
  asker: Asker | undefined;
  /** It is over, and the thread may be told. */
  answer: WaitAnswer | undefined;
  /** Answers the thread, if it is over and there is somebody to be told. */
  tell(): void;
  giveUp(): void;
  /** The same, of a thread that goes on without an answer: it stands in line for a slot. */
  abandon(): void;
};

/** Whether a thread waits itself, and not just a hook beside what it does. */
export function isWaiting(openWaits: Iterable<OpenWait> = []): boolean {
  for (const { isBeside } of openWaits) if (!isBeside) return true;
  return false;
}
