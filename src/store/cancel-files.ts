import { existsSync, watch, type FSWatcher } from 'node:fs';
import { join } from 'node:path';
import { type Failure, messageOf } from '../core/errors.ts';
import type { ThreadId } from '../core/ids.ts';
import { threadFolder } from './own-place.ts';

/** The file that asks for a thread's cancellation (S2 §6.13): whoever may write into its folder makes it. */
const CANCEL_FILE = '.cancel';

/** Where the files are looked for, and who hears of them. */
export type CancelFilesOptions = {
  /** The database's folder: that of the threads' folders. */
  readonly folder: string;
  /** Told once a thread, also of a file that was there before. */
  readonly asked: (threadId: ThreadId) => void;
  /** Told once when a folder can't be watched. */
  readonly problem: (failure: Failure) => void;
};

/**
 * Notices `.cancel` files in the folders of threads that have not ended, or whose work another one goes on with.
 *
 * Owns one handle for each of these folders; a watch of the folder above them would be one for each that was ever made,
 * under Linux. Doesn't own the files: they stay where they are.
 *
 * Invariants
 * C1 A file that is there when its folder is followed, or comes later, is told once.
 * C2 No handle keeps the process alive, and none is left after `close`.
 */
export interface CancelFiles {
  /** Follows a thread's folder, which must be there; again changes nothing. */
  follow(threadId: ThreadId): void;
  leave(threadId: ThreadId): void;
  close(): void;
}

/** Makes the watch over the threads of a project. */
export function createCancelFiles({ folder, asked, problem }: CancelFilesOptions): CancelFiles {
  /** Without a watcher: it has been asked for. */
  const followed = new Map<ThreadId, FSWatcher | undefined>();
  let isTold = false;

  const fail = (thrown: unknown): void => {
    if (isTold) return;
    isTold = true;
    const message = messageOf(thrown);
    problem({ code: 'not_available', message: `Not every ${CANCEL_FILE} file of a thread is noticed: ${message}` });
  };
  const watcherOf = (threadId: ThreadId, look: () => void): FSWatcher | undefined => {
    try {
      const seen = (_event: string, name: string | null): void => {
        if (name === null || name === CANCEL_FILE) look();
      };
      return watch(threadFolder(folder, threadId), { persistent: false }, seen).on('error', fail);
    } catch (thrown) {
      fail(thrown);
      return undefined;
    }
  };
  return {
    follow(threadId) {
      if (followed.has(threadId)) return;
      const look = (): void => {
        if (!existsSync(join(threadFolder(folder, threadId), CANCEL_FILE))) return;
        followed.get(threadId)?.close();
        followed.set(threadId, undefined);
        asked(threadId);
      };
      followed.set(threadId, watcherOf(threadId, look));
      look();
    },
    leave(threadId) {
      followed.get(threadId)?.close();
      followed.delete(threadId);
    },
    close() {
      for (const watcher of followed.values()) watcher?.close();
      followed.clear();
    },
  };
}
