import { MessageChannel, Worker, type MessagePort } from 'node:worker_threads';
import type { Config } from '../config/config.ts';
import { fromFailure, SkeinError, type Failure } from '../core/errors.ts';
import type { StoreOpened } from '../core/store.ts';
import type { StoreNews, StoreStart, StoreWorkerCommand, StoreWorkerReport } from '../core/store-worker.ts';

/** The running store worker. */
export interface StoreLink {
  readonly opened: StoreOpened;
  /** A new port for a sender of operations; `left`: its sender is gone, and everything it has sent is in line. */
  newPort(left?: () => void): MessagePort;
  /** Has a listener told what the store has to say, from its start on; it goes on itself. One listener. */
  listen(listener: (news: StoreNews) => void): void;
  /** Settles when nothing is written any more, or the worker is gone: undefined after `close`. */
  readonly over: Promise<Failure | undefined>;
  /** Commits what is pending, closes the database and releases the project. */
  close(): Promise<void>;
}

/** The store worker on its way: whoever is to send to it may have a port from the beginning. */
export type StartingStore = Pick<StoreLink, 'newPort' | 'close'> & {
  /**
   * Settles when it is open.
   *
   * @throws SkeinError whatever refused it: `project_locked`, `project_unwritable`, `schema_too_new`, `store_corrupt` …
   */
  opened(): Promise<StoreLink>;
};

/** What the store worker is started with. */
export type StoreLinkOptions = {
  readonly path: string;
  readonly tables: Config['tables'];
  readonly releaseSuspended: boolean;
  readonly cleanup: Config['resilience']['cleanup'];
  readonly persistence: Config['resilience']['checkpoint']['persistence'];
};

/** Starts the store worker on a database file. */
export function startStore(options: StoreLinkOptions): StartingStore {
  const worker = new Worker(new URL(import.meta.resolve('#workers/store.worker.js')), { workerData: options });
  const say = (command: StoreWorkerCommand<MessagePort>, moved: readonly MessagePort[] = []): void =>
    worker.postMessage(command, moved);
  const ended = Promise.withResolvers<Failure | undefined>();
  const answered = Promise.withResolvers<StoreStart>();
  const early: StoreNews[] = [];
  let tell = (news: StoreNews): void => void early.push(news);
  const leaving = new Map<number, () => void>();
  const leave = (port: number): void => {
    leaving.get(port)?.();
    leaving.delete(port);
  };
  const exited = new Promise<void>((resolve) => {
    worker.once('exit', () => resolve());
  });
  let closing = false;
  worker.once('error', (error) => ended.resolve(lost(error.message)));
  worker.once('exit', (code) => ended.resolve(closing ? undefined : lost(`it exited with code ${code}`)));
  worker.on('message', (message: StoreWorkerReport) => {
    if (message.type === 'opened' || message.type === 'refused') answered.resolve(message);
    else if (message.type === 'stopped') ended.resolve(message.failure);
    else if (message.type === 'left') leave(message.port);
    else tell(message);
  });
  let lastPort = 0;
  const starting: Pick<StoreLink, 'newPort' | 'close'> = {
    newPort(left) {
      const { port1, port2 } = new MessageChannel();
      const number = ++lastPort;
      if (left) leaving.set(number, left);
      say({ type: 'port', port: port2, number }, [port2]);
      return port1;
    },
    async close() {
      closing = true;
      say({ type: 'close' });
      await exited;
    },
  };
  const listen = (listener: typeof tell): void => {
    tell = listener;
    for (const news of early.splice(0)) listener(news);
  };
  return {
    ...starting,
    async opened() {
      const answer = await Promise.race([answered.promise, ended.promise]);
      if (!answer) throw new SkeinError('store_failed', 'The store worker stopped before it was open');
      if ('code' in answer) throw fromFailure(answer);
      if (answer.type === 'opened') return { ...starting, opened: answer.opened, listen, over: ended.promise };
      await worker.terminate();
      throw fromFailure(answer.failure);
    },
  };
}

function lost(reason: string): Failure {
  return { code: 'store_failed', message: `The store worker is gone: ${reason}` };
}
