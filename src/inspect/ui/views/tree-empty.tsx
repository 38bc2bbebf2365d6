import type { VNode } from 'preact';
import { topOf } from '../model/tree-state.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { usePage } from './context.ts';

/** Said in place of the rows of the tree: there are none, or nobody knows yet. */
export function TreeEmpty(): VNode | null {
  const isRead = usePage(({ tree }) => (tree.levels.get(topOf(tree))?.asOf ?? 0) > 0);
  const isFiltered = usePage(({ tree }) => tree.filter.length > 0);
  // It is read once there is a connection.
  const failure = usePage(({ connection }) => (connection.kind === 'lost' ? connection.failure : undefined));
  return (
    <div class="tree-empty">
      {isRead ? (
        <p class="quiet">No threads{isFiltered && ' that stand so'}.</p>
      ) : (
        <FailureNote of={{ value: undefined, failure }} what="The threads" />
      )}
    </div>
  );
}
