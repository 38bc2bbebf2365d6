import type { VNode } from 'preact';
import { Dialog } from '../parts/dialog.tsx';
import { STATUSES, StatusMark } from '../parts/status-mark.tsx';
import { SHORTCUTS } from './shortcuts.ts';

/** The keys, and what the marks mean. */
export function HelpDialog(props: {
  /** Whether those of one character do something. */
  readonly keys: boolean;
  readonly onKeys: (on: boolean) => void;
  readonly onClose: () => void;
}): VNode {
  return (
    <Dialog title="Keys" onClose={props.onClose}>
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
      <label class="check">
        <input
          type="checkbox"
          checked={props.keys}
          onChange={({ currentTarget }) => props.onKeys(currentTarget.checked)}
        />{' '}
        Keys of one character: 1 … 6, t, a, /, d and ?
      </label>
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
