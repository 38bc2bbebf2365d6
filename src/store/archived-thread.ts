import { lastSequence } from '../core/events.ts';
import type { LoadOp, StoredThread } from '../core/store.ts';
import type { Queries } from './queries.ts';
import { toStoredChild, toThreadRow } from './rows.ts';

/** A thread as it is read back from the archive: it has ended, so nobody needs its checkpoint. */
export function loadArchived(
  { thread, withChildren = false, onlyRaises = false }: LoadOp,
  from: Queries,
): StoredThread | undefined {
  const raw = from.byNo.get(thread);
  const spec = from.spec.get(thread);
  if (!raw || spec === undefined) return undefined;
  const chunks = from.events.all(thread, 1);
  return {
    row: toThreadRow(raw),
    spec,
    checkpoint: undefined,
    lines: onlyRaises ? '' : chunks.join(''),
    lastSequence: lastSequence(chunks.at(-1) ?? ''),
    children: withChildren ? from.children.all(thread, 0, Number.MAX_SAFE_INTEGER).map(toStoredChild) : [],
  };
}
