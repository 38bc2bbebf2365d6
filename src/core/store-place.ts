import { join } from 'node:path';

/** Where a project keeps its threads. */
export type StorePlace = {
  /** Of everything: the database, the lock, the control socket, what threads leave. */
  readonly folder: string;
  readonly database: string;
};

/** The place of the threads of a project in this folder. */
export function storeOf(project: string): StorePlace {
  const folder = join(project, '.ai', 'threads');
  return { folder, database: join(folder, 'threads.db') };
}
