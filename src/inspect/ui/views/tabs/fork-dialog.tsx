import type { VNode } from 'preact';
import { Dialog } from '../../parts/dialog.tsx';
import { useAction } from '../thread-actions.tsx';

/** Asks before another thread is begun with what was said up to a step. */
export function ForkDialog(props: { readonly id: string; readonly at: number; readonly onClose: () => void }): VNode {
  const { id, at, onClose } = props;
  const act = useAction();
  return (
    <Dialog title={`Fork after step ${at}?`} confirm="Fork" onConfirm={() => act(id, 'fork', { at })} onClose={onClose}>
      <p>
        Another thread begins with what was said and heard up to there, with a budget of its own. What its tools did is
        not done again. This thread stays as it is.
      </p>
    </Dialog>
  );
}
