import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { ThreadAnswer } from '../../api.ts';
import { useResource } from '../live/use-resource.ts';
import { routeHref, THREAD_TABS, type ThreadTab } from '../model/route.ts';
import { lastHeard } from '../model/tree-state.ts';
import { centreIn } from '../parts/centre-in.ts';
import { FailureNote } from '../parts/failure-note.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { useDashboard, usePage } from './context.ts';
import { BudgetTab } from './tabs/budget-tab.tsx';
import { ErrorsTab } from './tabs/errors-tab.tsx';
import { MachineTab } from './tabs/machine-tab.tsx';
import { PromptTab } from './tabs/prompt-tab.tsx';
import { TimelineTab } from './tabs/timeline-tab.tsx';
import { TranscriptTab } from './tabs/transcript-tab.tsx';
import { ThreadHead } from './thread-head.tsx';

/** What of a thread is shown. */
export type ThreadViewProps = {
  readonly id: string;
  readonly tab: ThreadTab;
  /** The event around which the transcript is shown; undefined: its end. */
  readonly at?: number;
  /** Whether keys of one character do something. */
  readonly keys: boolean;
};

/** A thread's page. */
export function ThreadView({ id, tab, at: place, keys }: ThreadViewProps): VNode {
  const { api } = useDashboard();
  const above = useRef<readonly string[]>([]);
  // What those above it may spend changes without it.
  const version = usePage(
    ({ threadVersion, tree }) => `${threadVersion} ${tab === 'budget' ? lastHeard(tree, above.current) : ''}`,
  );
  const answer = useResource<ThreadAnswer>({
    key: id,
    version,
    everyMs: 500,
    read: (signal) => api.get(`threads/${encodeURIComponent(id)}`, { signal }),
  });
  above.current = answer.value?.ancestors.map((one) => one.id) ?? [];
  const approval = answer.value?.approval;
  const tabs = useRef<HTMLElement>(null);
  useEffect(() => centreIn(tabs.current, '[aria-current]'), [tab]);
  return (
    <article class="thread">
      <FailureNote of={answer} what="The thread" />
      {answer.value && <ThreadHead answer={answer.value} />}
      {approval && <ApprovalCard key={approval.approval_id} approval={approval} />}
      <nav ref={tabs} class="tabs" aria-label="Parts of the thread">
        {THREAD_TABS.map((name, at) => (
          <a
            key={name}
            class="tab"
            href={routeHref({ view: 'thread', id, tab: name })}
            {...(keys && { 'aria-keyshortcuts': String(at + 1) })}
            {...(name === tab && { 'aria-current': 'page' })}
          >
            {name}
          </a>
        ))}
      </nav>
      {answer.value && <Tab answer={answer.value} tab={tab} at={place} />}
    </article>
  );
}

type TabProps = { readonly answer: ThreadAnswer; readonly tab: ThreadTab; readonly at: number | undefined };

function Tab({ answer, tab, at }: TabProps): VNode {
  const { id } = answer.thread;
  switch (tab) {
    case 'machine':
      return <MachineTab id={id} machine={answer.machine} />;
    case 'transcript':
      return <TranscriptTab id={id} at={at} />;
    case 'prompt':
      return <PromptTab id={id} />;
    case 'budget':
      return <BudgetTab answer={answer} />;
    case 'errors':
      return <ErrorsTab id={id} />;
    case 'timeline':
      return <TimelineTab id={id} />;
  }
}
