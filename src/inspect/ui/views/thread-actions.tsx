import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ActionAnswer, CancelRequest, ForkRequest, ResumeRequest, SuspendRequest, ThreadRow } from '../../api.ts';
import { hasEnded } from '../model/thread-life.ts';
import { Dialog } from '../parts/dialog.tsx';
import { formText } from '../parts/form-text.ts';
import { goTo } from '../parts/use-route.ts';
import { useDashboard, usePage } from './context.ts';

/** What can be done about a thread; each asks before it is done. */
type Action = 'cancel' | 'suspend' | 'resume';

/** Buttons that end, stop and continue a thread. A fork begins at a step, so it is offered in the transcript. */
export function ThreadActions({ thread }: { readonly thread: ThreadRow }): VNode {
  const [asked, setAsked] = useState<Action | undefined>(undefined);
  const isRun = usePage((state) => state.project?.runtime !== null);
  const act = useAction();
  const ended = hasEnded(thread.status);
  const close = (): void => setAsked(undefined);
  return (
    <div class="actions">
      {!ended && thread.status !== 'suspended' && (
        <button type="button" class="button" disabled={!isRun} onClick={() => setAsked('suspend')}>
          Suspend…
        </button>
      )}
      {(thread.status === 'suspended' || ended) && thread.status !== 'continued' && (
        <button type="button" class="button" disabled={!isRun} onClick={() => setAsked('resume')}>
          Resume…
        </button>
      )}
      {!ended && (
        <button type="button" class="button button-bad" disabled={!isRun} onClick={() => setAsked('cancel')}>
          Cancel…
        </button>
      )}
      {!isRun && <span class="quiet">Nothing can be changed without a runtime.</span>}
      {asked === 'cancel' && <CancelDialog thread={thread} act={act} onClose={close} />}
      {asked === 'suspend' && (
        <Dialog
          title={`Suspend ${thread.directive}?`}
          confirm="Suspend"
          onConfirm={() => act(thread.id, 'suspend', {})}
          onClose={close}
        >
          <p>It stops after what it is doing now and keeps what it has reserved, until it is resumed.</p>
        </Dialog>
      )}
      {asked === 'resume' && <ResumeDialog thread={thread} act={act} onClose={close} />}
    </div>
  );
}

/** What is sent for an action. */
type ActionRequest = CancelRequest | SuspendRequest | ResumeRequest | ForkRequest;
type Act = (id: string, action: Action | 'fork', body: ActionRequest) => void;
type AskProps = { readonly thread: ThreadRow; readonly act: Act; readonly onClose: () => void };

function CancelDialog({ thread, act, onClose }: AskProps): VNode {
  return (
    <Dialog
      title={`Cancel ${thread.directive}?`}
      confirm="Cancel the thread"
      tone="bad"
      onConfirm={(form) => act(thread.id, 'cancel', { tree: form.get('tree') === 'on' })}
      onClose={onClose}
    >
      <p>Its model call and its tools are stopped at once. This can’t be taken back.</p>
      {thread.children > 0 && (
        <label class="check">
          <input type="checkbox" name="tree" /> With everything below it, whatever the child policy says
        </label>
      )}
    </Dialog>
  );
}

function ResumeDialog({ thread, act, onClose }: AskProps): VNode {
  return (
    <Dialog
      title={`Resume ${thread.directive}?`}
      confirm="Resume"
      onConfirm={(form) => {
        const message = formText(form, 'message');
        act(thread.id, 'resume', message === '' ? {} : { message });
      }}
      onClose={onClose}
    >
      <p>
        {hasEnded(thread.status)
          ? 'It has ended, so another thread goes on from where it was.'
          : 'It goes on where it stopped.'}
      </p>
      <label class="field">
        Message to its model, if there is something to say
        <textarea name="message" rows={4} maxLength={100_000} />
      </label>
    </Dialog>
  );
}

const DONE: Readonly<Record<Action | 'fork', string>> = {
  cancel: 'Cancelled',
  suspend: 'Suspended',
  resume: 'Resumed',
  fork: 'Forked',
};

/** Carries out an action, tells what came of it, and shows the thread that it is about from then on. */
export function useAction(): Act {
  const dashboard = useDashboard();
  return (id, action, body) => {
    const done = async (): Promise<void> => {
      const answer = await dashboard.api.post<ActionAnswer>(`threads/${encodeURIComponent(id)}/${action}`, body);
      if (!answer.ok) return dashboard.tell({ tone: 'bad', text: answer.failure.message });
      dashboard.tell({ tone: 'good', text: doneText(action, answer.value) });
      if (answer.value.id !== id) goTo({ view: 'thread', id: answer.value.id, tab: 'transcript' });
    };
    void done(); // The client answers failures.
  };
}

function doneText(action: Action | 'fork', { status }: ActionAnswer): string {
  if (action === 'suspend' && status !== 'suspended') return 'It stops at its next step';
  return `${DONE[action]}: it is ${status}`;
}
