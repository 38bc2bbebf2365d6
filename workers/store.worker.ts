import { parentPort, receiveMessageOnPort, workerData, type MessagePort } from 'node:worker_threads';
import { toFailure, type Failure } from '../src/core/errors.ts';
import type { ThreadId } from '../src/core/ids.ts';
import type { StoreWorkerCommand, StoreWorkerReport } from '../src/core/store-worker.ts';
import { openStore, type OpenStoreOptions } from '../src/store/open.ts';
import { serveStore } from '../src/store/store-service.ts';

/** The thread that owns the database. `workerData` is what `openStore` takes, without its clock and who is told of anything. */
function start(): void {
  if (!parentPort) throw new Error('store.worker runs as a worker thread only');
  const host = parentPort;
  const say = (report: StoreWorkerReport): void => host.postMessage(report);
  // The host that starts this worker is its only sender; it passes what `openStore` takes.
  const options = workerData as Omit<OpenStoreOptions, 'now' | 'problem' | 'cancelAsked'>;
  try {
    const problem = (failure: Failure): void => say({ type: 'problem', failure });
    const cancelAsked = (threadId: ThreadId): void => say({ type: 'cancelAsked', threadId });
    const store = openStore({ ...options, now: Date.now, problem, cancelAsked });
    const stopped = (failure: Failure): void => say({ type: 'stopped', failure });
    const service = serveStore<MessagePort>({ store, receive: receiveMessageOnPort, problem, stopped });
    host.on('message', (message: StoreWorkerCommand<MessagePort>) => {
      if (message.type === 'close') {
        service.close();
        return host.close();
      }
      const forget = service.addPort(message.port);
      // After the last of its operations.
      return void message.port.on('close', () => {
        forget();
        say({ type: 'left', port: message.number });
      });
    });
    say({ type: 'opened', opened: store.opened });
  } catch (error) {
    say({ type: 'refused', failure: toFailure(error, 'store_failed') });
  }
}

start();
