import type { EventsAnswer, LogEvent } from '../../api.ts';
import { emptyTranscript, isGap, withEvents, withOlder, withWords, type Transcript } from '../model/transcript.ts';
import type { ApiClient } from './api-client.ts';
import type { PageState } from './page-state.ts';
import type { Store } from './store.ts';

/** Reads the log of the open thread into the store. */
export type TranscriptReader = {
  /** Opens a thread's log at its end, or none. Resolves when it is there. */
  open(id: string | undefined): Promise<void>;
  /** The page that precedes. */
  older(): Promise<void>;
  /** Events from the live connection. */
  heard(id: string, events: readonly LogEvent[]): void;
  /** Words of an answer that is being given. */
  overheard(id: string, words: { readonly from: number; readonly text: string }): void;
  /** What came after the last event that is there. */
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
      if (!transcript) return;
      const answer = await read(transcript.id, { after: transcript.last });
      if (!answer.ok) return tell(store, answer.failure.message);
      change(transcript.id, (now) => withEvents(now, answer.value.events, answer.value.after));
      ({ more } = answer.value);
    }
  };

  return {
    async open(id) {
      if (store.get().transcript?.id === id) return;
      store.set((state) => ({ ...state, transcript: id === undefined ? undefined : emptyTranscript(id) }));
      if (id === undefined) return;
      const answer = await read(id, {});
      if (!answer.ok) return tell(store, answer.failure.message);
      const { events, before, after } = answer.value;
      change(id, (transcript) => ({ ...withEvents(transcript, events, after), before }));
    },
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
      if (transcript?.id !== id) return;
      if (isGap(transcript, events)) void catchUp(); // A failure is told to the person.
      else change(id, (now) => withEvents(now, events));
    },
    overheard: (id, words) => change(id, (now) => withWords(now, words)),
    catchUp,
  };
}

function tell(store: Store<PageState>, text: string): void {
  store.set((state) => ({ ...state, notice: { tone: 'bad', text } }));
}
