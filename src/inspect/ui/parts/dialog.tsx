import type { ComponentChildren, VNode } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';

/** What a dialog says, and what its buttons do. */
export type DialogProps = {
  readonly title: string;
  readonly children: ComponentChildren;
  /** The word on the button that does it; without one there is only a button to close. */
  readonly confirm?: string;
  readonly tone?: 'bad';
  readonly onConfirm?: (form: FormData) => void;
  readonly onClose: () => void;
};

/** A modal dialog of the browser's own, which keeps the focus inside, closes with Escape and gives the focus back. */
export function Dialog({ title, children, confirm, tone, onConfirm, onClose }: DialogProps): VNode {
  const dialog = useRef<HTMLDialogElement>(null);
  const id = useId();
  useEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="dialog" aria-labelledby={id} onClose={onClose}>
      <form
        method="dialog"
        onSubmit={({ currentTarget, submitter }) => {
          const isConfirmed = submitter instanceof HTMLButtonElement && submitter.value === 'confirm';
          if (isConfirmed) onConfirm?.(new FormData(currentTarget));
        }}
      >
        <h2 id={id}>{title}</h2>
        <div class="dialog-body">{children}</div>
        <div class="dialog-buttons">
          <button type="button" class="button" onClick={() => dialog.current?.close()}>
            {confirm === undefined ? 'Close' : 'Back'}
          </button>
          {confirm !== undefined && (
            <button type="submit" value="confirm" class={tone === 'bad' ? 'button button-bad' : 'button button-main'}>
              {confirm}
            </button>
          )}
        </div>
      </form>
    </dialog>
  );
}
