import type { VNode } from 'preact';
import type { ApiStatus } from '../../api.ts';

/** How a thread stands, by shape, colour and, unless there is a word beside it, by name. */
export function StatusMark({ status, bare }: { readonly status: ApiStatus; readonly bare?: boolean }): VNode {
  return (
    <span class={`status status-${status}`}>
      <svg class="status-shape" viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
        {SHAPES[status]}
      </svg>
      <span class={bare ? 'unseen' : 'status-word'}>{status}</span>
    </span>
  );
}

/** All of them, in the order of a thread's life. */
export const STATUSES: readonly ApiStatus[] = [
  'created',
  'running',
  'suspended',
  'completed',
  'continued',
  'error',
  'cancelled',
];

const line = { fill: 'none', stroke: 'currentColor', 'stroke-width': 1.6, 'stroke-linecap': 'round' } as const;

const SHAPES: Readonly<Record<ApiStatus, VNode>> = {
  created: <circle cx="6" cy="6" r="4" {...line} stroke-dasharray="1.8 2.4" />,
  running: <path d="M3 1.6v8.8L10.4 6z" fill="currentColor" />,
  suspended: <path d="M3.4 2v8M8.6 2v8" {...line} stroke-width="2.4" />,
  completed: <path d="M1.8 6.4 4.8 9.4 10.4 2.8" {...line} stroke-width="2" />,
  continued: <path d="M1.5 6h8.4M6.6 2.6 10 6 6.6 9.4" {...line} />,
  error: <path d="M2.4 2.4l7.2 7.2M9.6 2.4 2.4 9.6" {...line} stroke-width="2" />,
  cancelled: <path d="M6 1.6a4.4 4.4 0 1 0 0 8.8 4.4 4.4 0 0 0 0-8.8M3 9l6-6" {...line} />,
};
