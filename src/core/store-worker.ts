import type { Failure } from './errors.ts';
import type { ThreadId } from './ids.ts';
import type { StoreOpened } from './store.ts';

/** What the host says to the store worker itself; operations go through the ports. */
export type StoreWorkerCommand<Port> =
  | { readonly type: 'port'; readonly port: Port; readonly number: number }
  | { readonly type: 'close' };

/** What the store worker says to the host. */
export type StoreWorkerReport =
  | StoreStart
  | StoreNews
  /** Nothing is written any more. */
  | { readonly type: 'stopped'; readonly failure: Failure }
  /** The sender behind a port is gone, and all that it has sent is in line. */
  | { readonly type: 'left'; readonly port: number };

/** Said once, first. */
export type StoreStart =
  | { readonly type: 'opened'; readonly opened: StoreOpened }
  | { readonly type: 'refused'; readonly failure: Failure };

/** Cleanup or a file beside the database failed; the folder of a thread has a `.cancel` file. */
export type StoreNews =
  | { readonly type: 'problem'; readonly failure: Failure }
  | { readonly type: 'cancelAsked'; readonly threadId: ThreadId };
