import { childLines } from '../core/child-events.ts';
import { lastSequence } from '../core/events.ts';
import type { LoadOp, StoredThread } from '../core/store.ts';
import type { Queries } from './queries.ts';
import { toStoredChild, toThreadRow } from './rows.ts';

/** A thread as it is read back from the archive: it has ended, so nobody needs its checkpoint. */
export function loadArchived(op: LoadOp, from: Queries): StoredThread | undefined {
  const { thread, withChildren = false } = op;
  const raw = from.byNo.get(thread);
  const spec = from.spec.get(thread);
  if (!raw || spec === undefined) return undefined;
  const [last] = from.eventsBefore.all(thread, Number.MAX_SAFE_INTEGER, 1);
  return {
    row: toThreadRow(raw),
    spec,
    checkpoint: undefined,
    lines: linesFor(op, from),
    lastSequence: lastSequence(last?.lines ?? ''),
    children: withChildren ? from.children.all(thread, 0, Number.MAX_SAFE_INTEGER).map(toStoredChild) : [],
  };
}

/** Nothing raises what it has as limits any more. */
function linesFor({ thread, withChildren, onlyRaises = false }: LoadOp, from: Queries): string {
  if (onlyRaises) return '';
  if (withChildren === 'only') return childLines(from.aboutChildren.all(thread).join(''));
  return from.events.all(thread, 1).join('');
}
