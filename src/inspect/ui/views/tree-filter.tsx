import type { VNode } from 'preact';
import { ROOT, type ApiStatus } from '../../api.ts';
import { formatCount } from '../model/format-values.ts';
import { STATUSES, StatusMark } from '../parts/status-mark.tsx';
import { useDashboard, usePage } from './context.ts';

/** Which threads the tree has: all, or those that stand as chosen; and how many there are of each. */
export function TreeFilter(): VNode {
  const dashboard = useDashboard();
  const filter = usePage((state) => state.tree.filter);
  const totals = usePage((state) => state.project?.totals ?? state.tree.levels.get(ROOT)?.totals);
  const choose = (status: ApiStatus): void =>
    dashboard.tree.filter(filter.includes(status) ? filter.filter((one) => one !== status) : [...filter, status]);
  return (
    <div class="tree-filter" role="group" aria-label="Only threads that are">
      {STATUSES.filter((status) => (totals?.counts[status] ?? 0) > 0 || filter.includes(status)).map((status) => (
        <button
          key={status}
          type="button"
          class="chip"
          aria-pressed={filter.includes(status)}
          onClick={() => choose(status)}
        >
          <StatusMark status={status} />
          <span class="number">{formatCount(totals?.counts[status] ?? 0)}</span>
        </button>
      ))}
    </div>
  );
}
