import { childLines, type ParentLog } from '../../core/child-events.ts';
import type { StoredThread } from '../../core/store.ts';
import type { HostContext } from '../host-context.ts';

/**
 * Adds to a parent's children, and to what its log says about them, those of the threads that have handed over to it:
 * their children are its own, and their logs tell of them as its own does. One that was resumed after its end has kept
 * its children. Each is read by the store, one at a time, from the last one back to the first, or to one that can't be
 * read, which is told. Of a log only what is about children is kept.
 */
export function addInherited(
  { row, lines, children }: StoredThread,
  { store, problem }: Pick<HostContext, 'store' | 'problem'>,
  done: (family: ParentLog) => void,
): void {
  let family: ParentLog = { row, lines: childLines(lines), children };
  const next = ({ predecessor }: StoredThread['row']): void => {
    if (predecessor === undefined) return done(family);
    store.submit({ type: 'load', thread: predecessor, withChildren: true }, (result) => {
      if (result !== true && result.type === 'failed') problem(result.failure);
      const before = result !== true && result.type === 'loaded' ? result.thread : undefined;
      if (before?.row.status !== 'continued') return done(family);
      family = {
        row,
        lines: childLines(before.lines) + family.lines,
        children: [...before.children, ...family.children],
      };
      next(before.row);
    });
  };
  next(row);
}
