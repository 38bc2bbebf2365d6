import type { VNode } from 'preact';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { LogEvent } from '../../../api.ts';
import { routeHref } from '../../model/route.ts';
import { createEntries, entryAt, type TranscriptEntry } from '../../model/transcript-entries.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { useNow } from '../../parts/use-now.ts';
import { usePage, useDashboard } from '../context.ts';
import { ForkDialog } from './fork-dialog.tsx';
import { EntryView } from './entry-view.tsx';

const NONE: readonly LogEvent[] = [];

/** Within so many pixels of its end, a transcript stays at its end when it grows. */
const NEAR_END = 80;

/** What was said and done in a thread, as it happens, or around an event. */
export function TranscriptTab({ id, at }: { readonly id: string; readonly at?: number | undefined }): VNode {
  const { transcript: reader } = useDashboard();
  const transcript = usePage((state) => (state.transcript?.id === id ? state.transcript : undefined));
  const isRun = usePage((state) => state.project?.runtime !== null);
  const [forkAt, setForkAt] = useState<number | undefined>(undefined);
  const { events = NONE, more = false } = transcript ?? {};
  // What is said now does not follow what is there.
  const streaming = more ? '' : (transcript?.streaming ?? '');
  const isOpen = transcript?.opening === 'done' && transcript.at === at;
  const entriesOf = useMemo(createEntries, [id]);
  const entries = useMemo(() => entriesOf(events), [entriesOf, events]);
  const onFork = isRun ? setForkAt : undefined;
  const place = isOpen && at !== undefined ? entryAt(entries, at) : undefined;
  const found = place?.sequence;
  // What precedes it is shown, but is not it: an event may be part of nothing that is here.
  const isIn = place !== undefined && (place.sequence === at || place.upTo === at);
  // The same one is passed over while only words come.
  const list = useMemo(
    () => <Entries id={id} entries={entries} found={isIn ? found : undefined} onFork={onFork} />,
    [id, entries, found, isIn, onFork],
  );
  const end = useEndInView([entries, streaming], more);
  // After the end: that is where a transcript is otherwise.
  useLayoutEffect(() => {
    if (found !== undefined) document.getElementById(`step-${found}`)?.scrollIntoView({ block: 'start' });
  }, [found]);
  if (!transcript || !isOpen) {
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
      {more && (
        <p>
          <button type="button" class="button" onClick={() => void reader.later()}>
            Later
          </button>{' '}
          <a href={routeHref({ view: 'thread', id, tab: 'transcript' })}>To its end</a>
        </p>
      )}
      {entries.length === 0 && streaming === '' && <p class="quiet">Nothing was said yet.</p>}
      <div ref={end} />
      {forkAt !== undefined && <ForkDialog id={id} at={forkAt} onClose={() => setForkAt(undefined)} />}
    </section>
  );
}

type EntriesProps = {
  readonly id: string;
  readonly entries: readonly TranscriptEntry[];
  /** Of the entry that was asked for. */
  readonly found: number | undefined;
  readonly onFork: ((at: number) => void) | undefined;
};

/** The entries. One that is the same as before is not drawn again: a thread of a thousand turns has thousands. */
function Entries({ id, entries, found, onFork }: EntriesProps): VNode {
  // Those of another day say of which.
  const today = new Date(useNow(60_000)).toDateString();
  const drawn = useMemo(() => new WeakMap<TranscriptEntry, VNode>(), [id, found, onFork, today]);
  const draw = (entry: TranscriptEntry): VNode => {
    const view = drawn.get(entry) ?? (
      <EntryView key={keyOf(entry)} id={id} entry={entry} isFound={entry.sequence === found} onFork={onFork} />
    );
    drawn.set(entry, view);
    return view;
  };
  return <>{entries.map(draw)}</>;
}

function keyOf({ sequence, kind }: TranscriptEntry): string {
  return `${kind} ${sequence}`;
}

/** Keeps the end in view when something is added, if it was in view before and is the log's. */
function useEndInView(changes: readonly unknown[], more: boolean) {
  const end = useRef<HTMLDivElement>(null);
  const wasNear = useRef(true);
  const hadMore = useRef(more);
  const pane = end.current?.closest('.main-pane');
  // Where it was not shown, as while it is read anew, its end is shown first.
  wasNear.current = !pane || (!hadMore.current && pane.scrollHeight - pane.scrollTop - pane.clientHeight < NEAR_END);
  hadMore.current = more;
  useLayoutEffect(() => {
    if (wasNear.current) end.current?.scrollIntoView({ block: 'end' });
  }, changes);
  return end;
}
