import type { VNode } from 'preact';
import { useState } from 'preact/hooks';
import type { ApprovalsAnswer } from '../../api.ts';
import { useResource } from '../live/use-resource.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { useDashboard, usePage } from './context.ts';

/** What threads ask of people. */
export function ApprovalsView(): VNode {
  const { api } = useDashboard();
  const [isAll, setAll] = useState(false);
  const version = usePage((state) => state.version);
  const status = isAll ? 'all' : 'pending';
  const answer = useResource<ApprovalsAnswer>({
    key: status,
    version,
    read: (signal) => api.get('approvals', { query: { status }, signal }),
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
      {answer.value?.approvals.map((approval) => (
        <ApprovalCard key={approval.approval_id} approval={approval} />
      ))}
    </article>
  );
}
