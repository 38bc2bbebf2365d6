import type { VNode } from 'preact';
import type { ApiCounts } from '../../api.ts';
import { formatCount } from '../model/format-values.ts';
import { STATUSES, StatusMark } from './status-mark.tsx';

/** How many threads stand how: a bar by share, and the numbers in words. */
export function CountsBar({ counts, wide }: { readonly counts: ApiCounts; readonly wide?: boolean }): VNode {
  const present = STATUSES.flatMap((status) => {
    const count = counts[status] ?? 0;
    return count > 0 ? [{ status, count }] : [];
  });
  return (
    <div class={wide ? 'counts counts-wide' : 'counts'}>
      <div class="counts-bar" aria-hidden="true">
        {present.map(({ status, count }) => (
          <span key={status} class={`counts-part fill-${status}`} style={{ flexGrow: String(count) }} />
        ))}
      </div>
      <ul class="counts-list">
        {present.map(({ status, count }) => (
          <li key={status}>
            <span class="number">{formatCount(count)}</span> <StatusMark status={status} />
          </li>
        ))}
      </ul>
    </div>
  );
}
