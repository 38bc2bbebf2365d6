import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { toFailure, type Failure } from '../src/core/errors.ts';
import type { ThreadId } from '../src/core/ids.ts';
import type { OpenStoreOptions } from '../src/store/open.ts';
import { openStore } from '../src/store/open.ts';
import { serveStore } from '../src/store/store-service.ts';

type FromHost =
  | { readonly type: 'port'; readonly port: MessagePort; readonly number: number }
  | { readonly type: 'close' };

/** The thread that owns the database. `workerData` is what `openStore` takes, without its clock and who is told of anything. */
function start(): void {
  if (!parentPort) throw new Error('store.worker runs as a worker thread only');
  const host = parentPort;
  // The host that starts this worker is its only sender; it passes what `openStore` takes.
  const options = workerData as Omit<OpenStoreOptions, 'now' | 'problem' | 'cancelAsked'>;
  try {
    const problem = (failure: Failure): void => host.postMessage({ type: 'problem', failure });
    const cancelAsked = (threadId: ThreadId): void => host.postMessage({ type: 'cancelAsked', threadId });
    const store = openStore({ ...options, now: Date.now, problem, cancelAsked });
    const stopped = (failure: Failure): void => host.postMessage({ type: 'stopped', failure });
    const service = serveStore<MessagePort>({ store, receive: receiveMessageOnPort, problem, stopped });
    host.on('message', (message: FromHost) => {
      if (message.type === 'close') {
        service.close();
        return host.close();
      }
      service.addPort(message.port);
      // After the last of its operations.
      return void message.port.on('close', () => host.postMessage({ type: 'left', port: message.number }));
    });
    host.postMessage({ type: 'opened', opened: store.opened });
  } catch (error) {
    host.postMessage({ type: 'refused', failure: toFailure(error, 'store_failed') });
  }
}

start();
