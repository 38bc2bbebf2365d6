import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApprovalRow, DenyRequest, GrantRequest } from '../../api.ts';
import { asWords, formatCount, formatTime, formatUsd, shortId } from '../model/format-values.ts';
import { routeHref } from '../model/route.ts';
import { formText } from '../parts/form-text.ts';
import { useNow } from '../parts/use-now.ts';
import { useDashboard, usePage } from './context.ts';

/** The limits that a grant may raise, by their code. */
const RAISED: ReadonlyMap<string, string> = new Map([
  ['spend_exceeded', 'spend'],
  ['turns_exceeded', 'turns'],
  ['tokens_exceeded', 'tokens'],
  ['duration_seconds_exceeded', 'duration_seconds'],
]);

/** A question to a person, and the way to answer it. */
export function ApprovalCard({ approval }: { readonly approval: ApprovalRow }): VNode {
  const now = useNow(30_000);
  const { decide, isSent } = useDecision(approval);
  const isRun = usePage((state) => state.project?.runtime !== null);
  const isOff = !isRun || isSent;
  const limit = RAISED.get(approval.limit_code ?? '');
  const isPending = approval.status === 'pending';
  return (
    <section class={`approval approval-${approval.status}`} aria-label={`Approval of ${approval.directive}`}>
      <p class="approval-head">
        <a href={routeHref({ view: 'thread', id: approval.thread_id, tab: 'transcript' })}>{approval.directive}</a>{' '}
        <span class="id">{shortId(approval.thread_id)}</span> asks since{' '}
        <span class="number">{formatTime(approval.requested_at_ms, now)}</span>
        {!isPending && ` – ${approval.status}${approval.decided_by === undefined ? '' : ` by ${approval.decided_by}`}`}
      </p>
      <p class="approval-message">{approval.message || asWords(approval.reason)}</p>
      {approval.call !== undefined && <pre>{approval.call}</pre>}
      <p class="quiet">
        {approval.limit_code !== undefined && `${asWords(approval.limit_code)}: ${amounts(approval)}. `}
        Asked by {approval.asked_by}.
      </p>
      {isPending && (
        <form
          class="approval-form"
          onSubmit={(event) => {
            event.preventDefault();
            const { submitter, currentTarget } = event;
            if (submitter instanceof HTMLButtonElement) decide(submitter.value, new FormData(currentTarget), limit);
          }}
        >
          {limit !== undefined && (
            <label class="field">
              New maximum of {asWords(limit)}
              <input name="limit" type="number" step="any" min="0" defaultValue={String(approval.suggested ?? '')} />
            </label>
          )}
          <label class="field field-wide">
            Message to its model
            <input name="message" type="text" maxLength={100_000} />
          </label>
          <button type="submit" class="button button-main" value="grant" disabled={isOff}>
            Grant
          </button>
          <button type="submit" class="button button-bad" value="deny" disabled={isOff}>
            Deny
          </button>
        </form>
      )}
    </section>
  );
}

function amounts({ limit_code: code, current_value: value = 0, current_max: max = 0 }: ApprovalRow): string {
  const shown = code === 'spend_exceeded' ? formatUsd : formatCount;
  return `${shown(value)} of ${shown(max)}`;
}

type Decide = (verdict: string, form: FormData, limit: string | undefined) => void;

/** How a question is answered; `isSent`: it is, unless that turns out to have failed. */
function useDecision({ approval_id: id }: ApprovalRow): { readonly decide: Decide; readonly isSent: boolean } {
  const dashboard = useDashboard();
  const [isSent, setSent] = useState(false);
  const decide: Decide = (verdict, form, limit) => {
    const message = formText(form, 'message');
    const amount = Number(formText(form, 'limit'));
    const limits = verdict === 'grant' && limit !== undefined && amount > 0 ? { limits: { [limit]: amount } } : {};
    const body: GrantRequest | DenyRequest = { ...(message !== '' && { message }), ...limits };
    const answered = async (): Promise<void> => {
      const answer = await dashboard.api.post<ApprovalRow>(`approvals/${encodeURIComponent(id)}/${verdict}`, body);
      setSent(answer.ok);
      dashboard.tell(
        answer.ok
          ? { tone: 'good', text: `${answer.value.directive}: ${answer.value.status}` }
          : { tone: 'bad', text: answer.failure.message },
      );
    };
    setSent(true);
    void answered(); // The client answers failures.
  };
  return { decide, isSent };
}
