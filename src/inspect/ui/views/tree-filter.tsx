import type { VNode } from 'preact';
import { ROOT, type ApiStatus } from '../../api.ts';
import { formatCount } from '../model/format-values.ts';
import { STATUSES, StatusMark } from '../parts/status-mark.tsx';
import { useDashboard, usePage } from './context.ts';

/** Which threads the tree has: all, or those that stand as chosen; and how many roots stand so, with which it begins. */
export function TreeFilter(): VNode {
  const dashboard = useDashboard();
  const filter = usePage((state) => state.tree.filter);
  const all = usePage((state) => state.project?.totals);
  const roots = usePage((state) => state.tree.levels.get(ROOT)?.totals);
  const choose = (status: ApiStatus): void =>
    dashboard.tree.filter(filter.includes(status) ? filter.filter((one) => one !== status) : [...filter, status]);
  // Beside roots that stand otherwise, children can be chosen that stand as no root does.
  const counts = (all ?? roots)?.counts;
  return (
    <div class="tree-filter" role="group" aria-label="Only threads that are">
      {STATUSES.filter((status) => (counts?.[status] ?? 0) > 0 || filter.includes(status)).map((status) => (
        <button
          key={status}
          type="button"
          class="chip"
          aria-pressed={filter.includes(status)}
          onClick={() => choose(status)}
        >
          <StatusMark status={status} />
          {roots && (
            <span class="number" title="threads without a parent">
              {formatCount(roots.counts[status] ?? 0)}
            </span>
          )}
        </button>
      ))}
    </div>
  );
}
