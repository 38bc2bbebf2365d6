import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LogEvent } from '../../../api.ts';
import { createEntries, type TranscriptEntry } from '../../model/transcript-entries.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { useNow } from '../../parts/use-now.ts';
import { usePage, useDashboard } from '../context.ts';
import { ForkDialog } from './fork-dialog.tsx';
import { EntryView } from './entry-view.tsx';

const NONE: readonly LogEvent[] = [];

/** Within so many pixels of its end, a transcript stays at its end when it grows. */
const NEAR_END = 80;

/** What was said and done in a thread, as it happens. */
export function TranscriptTab({ id }: { readonly id: string }): VNode {
  const { transcript: reader } = useDashboard();
  const transcript = usePage((state) => (state.transcript?.id === id ? state.transcript : undefined));
  const isRun = usePage((state) => state.project?.runtime !== null);
  const [forkAt, setForkAt] = useState<number | undefined>(undefined);
  const { events = NONE, streaming = '' } = transcript ?? {};
  const entriesOf = useMemo(createEntries, [id]);
  const entries = useMemo(() => entriesOf(events), [entriesOf, events]);
  const onFork = isRun ? setForkAt : undefined;
  // The same one is passed over while only words come.
  const list = useMemo(() => <Entries id={id} entries={entries} onFork={onFork} />, [id, entries, onFork]);
  const end = useEndInView([entries, streaming]);
  if (transcript?.opening !== 'done') {
    const failure = typeof transcript?.opening === 'object' ? transcript.opening : undefined;
    return <FailureNote of={{ value: undefined, failure }} what="The transcript" />;
  }
  return (
    <section class="transcript" aria-label="Transcript">
      {transcript.before !== undefined && (
        <button type="button" class="button" onClick={() => void reader.older()}>
          Earlier
        </button>
      )}
      <ol class="entries">
        {list}
        {streaming !== '' && (
          <li class="entry entry-said entry-model" aria-busy="true">
            <p class="entry-head">
              <span class="entry-label">Answering…</span>
            </p>
            <div class="entry-text">{streaming}</div>
          </li>
        )}
      </ol>
      {entries.length === 0 && streaming === '' && <p class="quiet">Nothing was said yet.</p>}
      <div ref={end} />
      {forkAt !== undefined && <ForkDialog id={id} at={forkAt} onClose={() => setForkAt(undefined)} />}
    </section>
  );
}

type EntriesProps = {
  readonly id: string;
  readonly entries: readonly TranscriptEntry[];
  readonly onFork: ((at: number) => void) | undefined;
};

/** The entries. One that is the same as before is not drawn again: a thread of a thousand turns has thousands. */
function Entries({ id, entries, onFork }: EntriesProps): VNode {
  // Those of another day say of which.
  const today = new Date(useNow(60_000)).toDateString();
  const drawn = useMemo(() => new WeakMap<TranscriptEntry, VNode>(), [id, onFork, today]);
  const draw = (entry: TranscriptEntry): VNode => {
    const view = drawn.get(entry) ?? <EntryView key={keyOf(entry)} id={id} entry={entry} onFork={onFork} />;
    drawn.set(entry, view);
    return view;
  };
  return <>{entries.map(draw)}</>;
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
