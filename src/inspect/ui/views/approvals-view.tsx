import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApprovalsAnswer } from '../../api.ts';
import { formatCount } from '../model/format-values.ts';
import { useResource } from '../live/use-resource.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { useDashboard, usePage } from './context.ts';

/** As many as the server gives: who waits should be seen. */
const MOST = 1_000;

/** What threads ask of people. */
export function ApprovalsView(): VNode {
  const { api } = useDashboard();
  const [isAll, setAll] = useState(false);
  const version = usePage((state) => state.version);
  const status = isAll ? 'all' : 'pending';
  const answer = useResource<ApprovalsAnswer>({
    key: status,
    version,
    // A thousand of them are much to read.
    everyMs: 5_000,
    read: (signal) => api.get('approvals', { query: { status, limit: MOST }, signal }),
  });
  return (
    <article>
      <h1>Approvals</h1>
      <label class="check">
        <input type="checkbox" checked={isAll} onChange={({ currentTarget }) => setAll(currentTarget.checked)} /> With
        those that were answered
      </label>
      <FailureNote of={answer} what="The approvals" />
      {answer.value?.approvals.length === 0 && <p class="quiet">No thread waits for a person.</p>}
      {answer.value?.cut && (
        <p class="quiet">
          The newest {formatCount(answer.value.approvals.length)} are shown; earlier ones are left out.
        </p>
      )}
      {answer.value?.approvals.map((approval) => (
        <ApprovalCard key={approval.approval_id} approval={approval} />
      ))}
    </article>
  );
}
