import { toFailure } from '../../core/errors.ts';
import { heirOf } from '../endings/heir.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import type { ThreadHandle } from './thread-handle.ts';

/** A thread, and the signal of whoever has started it. */
export type Followed = { readonly entry: ThreadEntry; readonly signal: AbortSignal };

/**
 * Cancels a thread, or who goes on with it by then, when its caller's signal aborts; lets go of the signal when it has ended. One whose
 * signal can't be listened to is cancelled: its caller gets no handle to stop it with.
 */
export type FollowSignal = <Handle extends Pick<ThreadHandle<unknown>, 'result'>>(
  handle: Handle,
  followed: Followed,
) => Promise<Handle>;

/** For the threads of a host. */
export function createSignalFollowing(host: HostContext): FollowSignal {
  const join = createListeners(host);
  return async (handle, followed) => {
    // Not before the thread is in line.
    await Promise.resolve();
    try {
      if (followed.signal.aborted) abort(host, followed.entry);
      else {
        const leave = join(followed);
        // That its ending can't be read is its caller's to hear.
        void handle.result.then(leave, leave);
      }
    } catch (thrown) {
      abort(host, followed.entry);
      throw thrown;
    }
    return handle;
  };
}

/** Has a thread hear of its signal; returns how it lets go. */
type Join = (followed: Followed) => () => void;

/** All threads of a signal share a listener: for each that comes or goes, Node walks through those there are. */
function createListeners(host: HostContext): Join {
  const shared = new WeakMap<AbortSignal, Listener>();
  const listenTo = (signal: AbortSignal): Listener => {
    const entries = new Set<ThreadEntry>();
    const cancelAll = (): void => {
      shared.delete(signal);
      for (const entry of entries) abort(host, entry);
    };
    signal.addEventListener('abort', cancelAll, { once: true });
    const listener: Listener = { entries, stop: () => signal.removeEventListener('abort', cancelAll) };
    shared.set(signal, listener);
    return listener;
  };
  return ({ entry, signal }) => {
    const { entries, stop } = shared.get(signal) ?? listenTo(signal);
    entries.add(entry);
    return () => {
      entries.delete(entry);
      if (entries.size > 0) return;
      shared.delete(signal);
      stop();
    };
  };
}

type Listener = { readonly entries: Set<ThreadEntry>; readonly stop: () => void };

/** It must not throw: what a listener throws ends the process. */
function abort(host: HostContext, entry: ThreadEntry): void {
  try {
    const { thread } = heirOf(entry, host).lineage;
    host.tell({ type: 'CANCEL', thread, reason: 'aborted by its caller' });
  } catch (thrown) {
    host.problem(toFailure(thrown));
  }
}
