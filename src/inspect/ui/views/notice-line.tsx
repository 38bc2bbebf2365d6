import type { VNode } from 'preact';
import { useDashboard, usePage } from './context.ts';

/** What came of the last action, until it is put away. */
export function NoticeLine(): VNode {
  const dashboard = useDashboard();
  const notice = usePage((state) => state.notice);
  return (
    <div class="notice-place" role="status" aria-live="polite">
      {notice && (
        <div class={`notice notice-${notice.tone}`}>
          <span>{notice.text}</span>
          <button type="button" class="button" onClick={() => dashboard.tell(undefined)}>
            Dismiss
          </button>
        </div>
      )}
    </div>
  );
}
