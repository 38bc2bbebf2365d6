import type { VNode } from 'preact';
import type { ApiStatus } from '../../api.ts';
import { formatCount } from '../model/format-values.ts';
import { STATUSES, StatusMark } from '../parts/status-mark.tsx';
import { useDashboard, usePage } from './context.ts';

/** Which threads the tree has: all, or a list of those that stand as chosen; and how many stand so. */
export function TreeFilter(): VNode {
  const dashboard = useDashboard();
  const filter = usePage((state) => state.tree.filter);
  const counts = usePage((state) => state.project?.totals.counts);
  const choose = (status: ApiStatus): void =>
    dashboard.tree.filter(filter.includes(status) ? filter.filter((one) => one !== status) : [...filter, status]);
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
          {counts && <span class="number">{formatCount(counts[status] ?? 0)}</span>}
        </button>
      ))}
    </div>
  );
}
