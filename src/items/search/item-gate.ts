import type { ItemKind } from '../../core/item.ts';
import type { Connection } from './index-schema.ts';

/** Whether an item may be found. */
export type ItemFilter = (kind: ItemKind, id: string) => boolean;

/** Asks a filter about the items that a statement comes upon. Not reentrant: a filter must not search. */
export type ItemGate = {
  /** Runs statements that have the gate's `condition`. `passed` counts the items let through, each time it was asked. */
  through<Result>(filter: ItemFilter, run: () => Result): { readonly result: Result; readonly passed: number };
};

/**
 * What fits `filters` and passes the gate. The filters are asked first, so that the gate is asked once for each item that
 * fits them; SQLite is free to change the order of an AND.
 */
export function gated(filters: string): string {
  return `CASE WHEN ${filters} THEN passes(i.kind, i.id) ELSE 0 END`;
}

/** Makes the gate of a connection. */
export function createItemGate(db: Connection): ItemGate {
  let filter: ItemFilter = () => false;
  let passed = 0;
  // SQLite gives what stands in the columns `kind` and `id`.
  db.function('passes', { directOnly: true }, (kind, id) => {
    const lets = filter(kind as ItemKind, id as string);
    if (lets) passed++;
    return lets ? 1 : 0;
  });
  return {
    through(wanted, run) {
      filter = wanted;
      passed = 0;
      return { result: run(), passed };
    },
  };
}
