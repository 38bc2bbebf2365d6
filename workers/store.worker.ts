import type { MessagePort } from 'node:worker_threads';
import { parentPort, receiveMessageOnPort, workerData } from 'node:worker_threads';
import { toFailure } from '../src/core/errors.ts';
import type { OpenStoreOptions } from '../src/store/open.ts';
import { openStore } from '../src/store/open.ts';
import { serveStore } from '../src/store/store-service.ts';

type FromHost = { readonly type: 'port'; readonly port: MessagePort } | { readonly type: 'close' };

/** The thread that owns the database. `workerData` is `{path, tables}`. */
function start(): void {
  if (!parentPort) throw new Error('store.worker runs as a worker thread only');
  const host = parentPort;
  // The host that starts this worker is its only sender; it passes what `openStore` takes.
  const { path, tables } = workerData as Pick<OpenStoreOptions, 'path' | 'tables'>;
  try {
    const store = openStore({ path, tables, now: Date.now });
    const service = serveStore<MessagePort>({ store, receive: receiveMessageOnPort });
    host.on('message', (message: FromHost) => {
      if (message.type === 'port') return service.addPort(message.port);
      service.close();
      return host.close();
    });
    host.postMessage({ type: 'opened', opened: store.opened });
  } catch (error) {
    host.postMessage({ type: 'refused', failure: toFailure(error, 'store_failed') });
  }
}

start();
