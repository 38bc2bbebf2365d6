import type { VNode } from 'preact';
import type { FailuresAnswer } from '../../../api.ts';
import { useResource } from '../../live/use-resource.ts';
import { transcriptEntries } from '../../model/transcript-entries.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { useDashboard, usePage } from '../context.ts';
import { EntryView } from './entry-view.tsx';

/** What went wrong in a thread: failed calls and their retries, limits, warnings, its ending. */
export function ErrorsTab({ id }: { readonly id: string }): VNode {
  const { api } = useDashboard();
  const version = usePage((state) => state.threadVersion);
  const answer = useResource<FailuresAnswer>({
    key: id,
    version,
    read: (signal) => api.get(`threads/${encodeURIComponent(id)}/failures`, { signal }),
  });
  const entries = transcriptEntries(answer.value?.events ?? []);
  return (
    <section class="transcript" aria-label="Errors and retries">
      <FailureNote of={answer} what="The errors" />
      {answer.value?.cut && <p class="quiet">Earlier ones are left out.</p>}
      {answer.value && entries.length === 0 && <p class="quiet">Nothing has gone wrong.</p>}
      <ol class="entries">
        {entries.map((entry) => (
          <EntryView key={entry.sequence} id={id} entry={entry} onFork={undefined} />
        ))}
      </ol>
    </section>
  );
}
