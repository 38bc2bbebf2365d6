import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import { fromFailure, SkeinError, type Failure } from '../core/errors.ts';
import type { StoreOpened } from '../core/store.ts';

/** The running store worker. */
export interface StoreLink {
  readonly opened: StoreOpened;
  /** A new port for a sender of operations; `left`: its sender is gone, and everything it has sent is in line. */
  newPort(left?: () => void): MessagePort;
  /** Has a listener told when cleanup fails; the store itself goes on. */
  onProblem(listener: (failure: Failure) => void): void;
  /** Settles when nothing is written any more, or the worker is gone: undefined after `close`. */
  readonly over: Promise<Failure | undefined>;
  /** Commits what is pending, closes the database and releases the project. */
  close(): Promise<void>;
}

/** What the store worker is started with. */
export type StoreLinkOptions = {
  readonly path: string;
  readonly tables: Config['tables'];
  readonly releaseSuspended: boolean;
  readonly cleanup: Config['resilience']['cleanup'];
  readonly persistence: Config['resilience']['checkpoint']['persistence'];
};

type FromStore =
  | { readonly type: 'opened'; readonly opened: StoreOpened }
  | { readonly type: 'refused'; readonly failure: Failure };

/** What it says once it is open. */
type FromOpenStore =
  | { readonly type: 'problem' | 'stopped'; readonly failure: Failure }
  | { readonly type: 'left'; readonly port: number };

/**
 * Starts the store worker on a database file and waits until it is open.
 *
 * @throws SkeinError whatever refused it: `project_locked`, `project_unwritable`, `schema_too_new`, `store_corrupt` …
 */
export async function openStoreLink(options: StoreLinkOptions): Promise<StoreLink> {
  const worker = new Worker(new URL(import.meta.resolve('#workers/store.worker.js')), { workerData: options });
  const ended = Promise.withResolvers<Failure | undefined>();
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  let closing = false;
  worker.once('error', (error) => ended.resolve(lost(error.message)));
  worker.once('exit', (code) => ended.resolve(closing ? undefined : lost(`it exited with code ${code}`)));
  const answer = await Promise.race([
    new Promise<FromStore>((resolve) => {
      worker.once('message', resolve);
    }),
    ended.promise,
  ]);
  if (!answer) throw new SkeinError('store_failed', 'The store worker stopped before it was open');
  if ('code' in answer) throw fromFailure(answer);
  if (answer.type === 'refused') {
    await worker.terminate();
    throw fromFailure(answer.failure);
  }
  const leaving = new Map<number, () => void>();
  let lastPort = 0;
  worker.on('message', (said: FromOpenStore) => {
    if (said.type === 'stopped') ended.resolve(said.failure);
    if (said.type !== 'left') return;
    leaving.get(said.port)?.();
    leaving.delete(said.port);
  });
  return {
    opened: answer.opened,
    newPort(left) {
      const { port1, port2 } = new MessageChannel();
      const number = ++lastPort;
      if (left) leaving.set(number, left);
      worker.postMessage({ type: 'port', port: port2, number }, [port2]);
      return port1;
    },
    onProblem(listener) {
      worker.on('message', (said: FromOpenStore) => said.type === 'problem' && listener(said.failure));
    },
    over: ended.promise,
    async close() {
      closing = true;
      worker.postMessage({ type: 'close' });
      await exited;
    },
  };
}

function lost(reason: string): Failure {
  return { code: 'store_failed', message: `The store worker is gone: ${reason}` };
}
