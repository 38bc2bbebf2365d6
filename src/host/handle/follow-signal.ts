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
export async function followSignal<Handle extends Pick<ThreadHandle<unknown>, 'result'>>(
  handle: Handle,
  { entry, signal }: Followed,
  host: HostContext,
): Promise<Handle> {
  const cancel = (): void => abort(host, entry);
  // Not before the thread is in line.
  await Promise.resolve();
  try {
    listen(signal, handle, cancel);
  } catch (thrown) {
    cancel();
    throw thrown;
  }
  return handle;
}

function listen(signal: AbortSignal, handle: Pick<ThreadHandle<unknown>, 'result'>, cancel: () => void): void {
  if (signal.aborted) return cancel();
  signal.addEventListener('abort', cancel, { once: true });
  const letGo = (): void => signal.removeEventListener('abort', cancel);
  // That its ending can't be read is its caller's to hear.
  void handle.result.then(letGo, letGo);
}

/** It must not throw: what a listener throws ends the process. */
function abort(host: HostContext, entry: ThreadEntry): void {
  try {
    const { thread } = heirOf(entry, host).lineage;
    host.tell({ type: 'CANCEL', thread, reason: 'aborted by its caller' });
  } catch (thrown) {
    host.problem(toFailure(thrown));
  }
}
