import { statSync } from 'node:fs';
import type { StoreReader } from '../core/store.ts';
import { archivePath } from './archive-shelf.ts';

/**
 * Whether nothing has ever been stored: neither a database is there, nor what one that has gone would have left. What can't
 * be looked at is no empty ledger.
 */
export function isUntouched(path: string): boolean {
  try {
    return [path, `${path}-wal`, archivePath(path)].every((file) => !statSync(file, { throwIfNoEntry: false }));
  } catch {
    return false;
  }
}

/** What there is to read where nothing has been stored. */
export const NOTHING_STORED: StoreReader = {
  thread: () => undefined,
  threadByNo: () => undefined,
  threads: () => [],
  children: () => [],
  openBelow: () => undefined,
  chain: () => [],
  ledger: () => undefined,
  spec: () => undefined,
  checkpoint: () => undefined,
  raises: () => [],
  interrupted: () => [],
  isInterrupted: () => false,
  events: () => [],
  logPage: () => [],
  approvals: () => [],
  approval: () => undefined,
  close: () => undefined,
};
