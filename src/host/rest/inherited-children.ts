import { familyOf, withInherited, type ParentLog } from '../../core/child-events.ts';
import { failureIn, type StoredThread } from '../../core/store.ts';
import type { HostContext } from '../host-context.ts';

/**
 * Adds to a parent those children of the threads that have handed over to it. One that was resumed after its end has kept
 * its children. Each is read by the store, one at a time, from the last one back to the first, or to one that can't be
 * read, which is told. Of a log only what is about children is read, and of the parent's own kept.
 */
export function addInherited(
  parent: StoredThread,
  { store, problem }: Pick<HostContext, 'store' | 'problem'>,
  done: (family: ParentLog) => void,
): void {
  let family = familyOf(parent);
  const next = ({ predecessor }: StoredThread['row']): void => {
    if (predecessor === undefined) return done(family);
    store.submit({ type: 'load', thread: predecessor, withChildren: 'only' }, (result) => {
      const failure = failureIn(result);
      if (failure) problem(failure);
      const before = result !== true && result.type === 'loaded' ? result.thread : undefined;
      if (before?.row.status !== 'continued') return done(family);
      family = withInherited(family, before);
      next(before.row);
    });
  };
  next(parent.row);
}
