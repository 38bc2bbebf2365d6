import type { VNode } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { FailuresAnswer } from '../../../api.ts';
import { useResource } from '../../live/use-resource.ts';
import { withFailures, type FailureLog } from '../../model/failure-log.ts';
import { transcriptEntries } from '../../model/transcript-entries.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { useDashboard, usePage } from '../context.ts';
import { EntryView } from './entry-view.tsx';

/** What went wrong in a thread: failed calls and their retries, limits, warnings, its ending. */
export function ErrorsTab({ id }: { readonly id: string }): VNode {
  const dashboard = useDashboard();
  const { api } = dashboard;
  const version = usePage((state) => state.threadVersion);
  const [log, setLog] = useState<FailureLog | undefined>(undefined);
  const path = `threads/${encodeURIComponent(id)}/failures`;
  const end = useResource<FailuresAnswer>({ key: id, version, read: (signal) => api.get(path, { signal }) });
  const add = (page: FailuresAnswer): void => setLog((before) => withFailures(before, page));
  useEffect(() => end.value && add(end.value), [end.value]);
  const older = async (before: number): Promise<void> => {
    const page = await api.get<FailuresAnswer>(path, { query: { before } });
    if (page.ok) add(page.value);
    else dashboard.tell({ tone: 'bad', text: page.failure.message });
  };
  const entries = transcriptEntries(log?.events ?? []);
  const before = log?.before;
  return (
    <section class="transcript" aria-label="Errors and retries">
      <FailureNote of={end} what="The errors" />
      {before !== undefined && (
        <button type="button" class="button" onClick={() => void older(before) /* The client answers failures. */}>
          Earlier
        </button>
      )}
      {log && entries.length === 0 && (
        <p class="quiet">{before === undefined ? 'Nothing has gone wrong.' : 'Nothing in what was read of its log.'}</p>
      )}
      <ol class="entries">
        {entries.map((entry) => (
          <EntryView key={entry.sequence} id={id} entry={entry} onFork={undefined} />
        ))}
      </ol>
    </section>
  );
}
