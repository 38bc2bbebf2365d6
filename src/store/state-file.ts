import { mkdirSync, renameSync, rmSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { writeDurably } from '../core/durable-file.ts';
import type { ThreadId } from '../core/ids.ts';
import { refuseLink, threadFolder } from './own-place.ts';

/** What a file says, and the time of the row that it is made from: the file's own, milliseconds since the epoch. */
export type StateFile = { readonly text: string; readonly at: number };

/** Writes a thread's state.json: whoever reads it finds the old text or the new one, also after a power cut. */
export function writeStateFile(folder: string, threadId: ThreadId, { text, at }: StateFile): void {
  const own = threadFolder(folder, threadId);
  const draft = join(own, 'state.json.tmp');
  refuseLink(own);
  mkdirSync(own, { recursive: true, mode: 0o700 });
  // A kill may have left it; and what is there may be a link.
  rmSync(draft, { force: true });
  writeDurably(draft, text, 0o600);
  utimesSync(draft, new Date(at), new Date(at));
  renameSync(draft, join(own, 'state.json'));
}

/** The time of a thread's state.json; undefined: there is none, or none that can be looked at. */
export function stateFileTime(folder: string, threadId: ThreadId): number | undefined {
  const file = join(threadFolder(folder, threadId), 'state.json');
  try {
    const found = statSync(file, { throwIfNoEntry: false });
    return found && Math.round(found.mtimeMs);
  } catch {
    // It is written then, and what hinders that is told.
    return undefined;
  }
}

/** Removes a thread's folder with everything in it; there need be none. */
export function removeStateFile(folder: string, threadId: ThreadId): void {
  rmSync(threadFolder(folder, threadId), { recursive: true, force: true });
}
