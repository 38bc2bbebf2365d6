import type { VNode } from 'preact';
import { Dialog } from '../parts/dialog.tsx';
import { STATUSES, StatusMark } from '../parts/status-mark.tsx';
import { SHORTCUTS } from './shortcuts.ts';

/** The keys, and what the marks mean. */
export function HelpDialog({ onClose }: { readonly onClose: () => void }): VNode {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl class="keys">
        {SHORTCUTS.map(([keys, meaning]) => (
          <div key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{meaning}</dd>
          </div>
        ))}
      </dl>
      <h3>Marks</h3>
      <ul class="legend">
        {STATUSES.map((status) => (
          <li key={status}>
            <StatusMark status={status} />
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
