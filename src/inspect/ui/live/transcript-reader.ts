import type { EventsAnswer, LogEvent } from '../../api.ts';
import { emptyTranscript, isGap, withEvents, withOlder, withWords, type Transcript } from '../model/transcript.ts';
import type { Answer, ApiClient } from './api-client.ts';
import type { PageState } from './page-state.ts';
import type { Store } from './store.ts';

/** Reads the log of the open thread into the store. */
export type TranscriptReader = {
  /** Opens a thread's log at its end, or none; again, if that could not be read. Resolves when it is there. */
  open(id: string | undefined): Promise<void>;
  /** The page that precedes. */
  older(): Promise<void>;
  /** Events from the live connection; passed over while the log is being opened, since it is read on after that. */
  heard(id: string, events: readonly LogEvent[]): void;
  /** Words of an answer that is being given. */
  overheard(id: string, words: { readonly from: number; readonly text: string }): void;
  /** What came after the last event that is there, in a log that is open. */
  catchUp(): Promise<void>;
};

/** A reader of one log at a time. */
export function createTranscriptReader(api: ApiClient, store: Store<PageState>): TranscriptReader {
  const change = (id: string, step: (transcript: Transcript) => Transcript): void =>
    store.set((state) => {
      const { transcript } = state;
      return transcript?.id === id ? { ...state, transcript: step(transcript) } : state;
    });
  const read = (id: string, query: { before?: number; after?: number }) =>
    api.get<EventsAnswer>(`threads/${encodeURIComponent(id)}/events`, { query: { ...query, limit: 200 } });

  const catchUp = async (): Promise<void> => {
    for (let more = true; more;) {
      const { transcript } = store.get();
      if (transcript?.opening !== 'done') return;
      const answer = await read(transcript.id, { after: transcript.last });
      if (!answer.ok) return tell(store, answer.failure.message);
      change(transcript.id, (now) => withEvents(now, answer.value.events, answer.value.after));
      ({ more } = answer.value);
    }
  };

  const open = async (id: string | undefined): Promise<void> => {
    const { transcript } = store.get();
    const isSame = transcript?.id === id;
    if (isSame && typeof transcript?.opening !== 'object') return;
    if (id === undefined) return store.set((state) => ({ ...state, transcript: undefined }));
    // Words that it has are told no second time.
    if (isSame) change(id, (now) => ({ ...now, opening: 'under way' }));
    else store.set((state) => ({ ...state, transcript: emptyTranscript(id) }));
    const answer = await read(id, {});
    // It may have been closed and opened again meanwhile: what came first is gone on with.
    change(id, (now) => (now.opening === 'done' ? now : opened(now, answer)));
    if (!answer.ok) return tell(store, answer.failure.message);
    await catchUp();
  };

  return {
    open,
    async older() {
      const { transcript } = store.get();
      if (transcript?.before === undefined) return;
      const { id, before } = transcript;
      const answer = await read(id, { before });
      if (!answer.ok) return tell(store, answer.failure.message);
      change(id, (now) => withOlder(now, answer.value.events, answer.value.before));
    },
    heard(id, events) {
      const { transcript } = store.get();
      if (transcript?.id !== id || transcript.opening === 'under way') return;
      // Failures are told to the person.
      if (typeof transcript.opening === 'object') void open(id);
      else if (isGap(transcript, events)) void catchUp();
      else change(id, (now) => withEvents(now, events));
    },
    overheard: (id, words) => change(id, (now) => withWords(now, words)),
    catchUp,
  };
}

function opened(transcript: Transcript, answer: Answer<EventsAnswer>): Transcript {
  if (!answer.ok) return { ...transcript, opening: answer.failure };
  const { events, before, after } = answer.value;
  return { ...withEvents(transcript, events, after), before, opening: 'done' };
}

function tell(store: Store<PageState>, text: string): void {
  store.set((state) => ({ ...state, notice: { tone: 'bad', text } }));
}
