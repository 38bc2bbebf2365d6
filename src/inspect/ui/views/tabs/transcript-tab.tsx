import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { transcriptEntries, type TranscriptEntry } from '../../model/transcript-entries.ts';
import { usePage, useDashboard } from '../context.ts';
import { ForkDialog } from './fork-dialog.tsx';
import { EntryView } from './entry-view.tsx';

/** Within so many pixels of its end, a transcript stays at its end when it grows. */
const NEAR_END = 80;

/** What was said and done in a thread, as it happens. */
export function TranscriptTab({ id }: { readonly id: string }): VNode {
  const { transcript: reader } = useDashboard();
  const transcript = usePage((state) => state.transcript);
  const isRun = usePage((state) => state.project?.runtime !== null);
  const [forkAt, setForkAt] = useState<number | undefined>(undefined);
  const events = transcript?.id === id ? transcript.events : undefined;
  const entries = useMemo(() => transcriptEntries(events ?? []), [events]);
  const end = useEndInView([entries, transcript?.streaming]);
  if (!transcript || !events) return <p class="quiet">Reading the transcript…</p>;
  return (
    <section class="transcript" aria-label="Transcript">
      {transcript.before !== undefined && (
        <button type="button" class="button" onClick={() => void reader.older()}>
          Earlier
        </button>
      )}
      <ol class="entries">
        {entries.map((entry) => (
          <EntryView key={keyOf(entry)} id={id} entry={entry} onFork={isRun ? setForkAt : undefined} />
        ))}
        {transcript.streaming !== '' && (
          <li class="entry entry-said entry-model" aria-busy="true">
            <p class="entry-head">
              <span class="entry-label">Answering…</span>
            </p>
            <div class="entry-text">{transcript.streaming}</div>
          </li>
        )}
      </ol>
      {entries.length === 0 && transcript.streaming === '' && <p class="quiet">Nothing was said yet.</p>}
      <div ref={end} />
      {forkAt !== undefined && <ForkDialog id={id} at={forkAt} onClose={() => setForkAt(undefined)} />}
    </section>
  );
}

function keyOf({ sequence, kind }: TranscriptEntry): string {
  return `${kind} ${sequence}`;
}

/** Keeps the end in view when something is added, if it was in view before. */
function useEndInView(changes: readonly unknown[]) {
  const end = useRef<HTMLDivElement>(null);
  const wasNear = useRef(true);
  const pane = end.current?.closest('.main-pane');
  if (pane) wasNear.current = pane.scrollHeight - pane.scrollTop - pane.clientHeight < NEAR_END;
  useLayoutEffect(() => {
    if (wasNear.current) end.current?.scrollIntoView({ block: 'end' });
  }, changes);
  return end;
}
