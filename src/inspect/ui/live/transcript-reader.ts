import type { EventsAnswer, LogEvent } from '../../api.ts';
import { emptyTranscript, isGap, withEvents, withOlder, withWords, type Transcript } from '../model/transcript.ts';
import type { Answer, ApiClient } from './api-client.ts';
import type { PageState } from './page-state.ts';
import type { Store } from './store.ts';

/** Reads the log of the open thread into the store. */
export type TranscriptReader = {
  /** Opens a thread's log around an event, or at its end, or none; again, if that could not be read. Resolves when it is there. */
  open(id: string | undefined, at?: number): Promise<void>;
  /** The page that precedes. */
  older(): Promise<void>;
  /** The page that follows, where there is more. */
  later(): Promise<void>;
  /** Events from the live connection; passed over while the log is being opened, or has more before them: it is read on after that. */
  heard(id: string, events: readonly LogEvent[]): void;
  /** Words of an answer that is being given. */
  overheard(id: string, words: { readonly from: number; readonly text: string }): void;
  /** What came after the last event that is there, in a log that is open at its end. */
  catchUp(): Promise<void>;
};

/** A reader of one log at a time. */
export function createTranscriptReader(api: ApiClient, store: Store<PageState>): TranscriptReader {
  const change = (id: string, step: (transcript: Transcript) => Transcript): void =>
    store.set((state) => {
      const { transcript } = state;
      return transcript?.id === id ? { ...state, transcript: step(transcript) } : state;
    });

  const catchUp = async (): Promise<void> => {
    for (let more = true; more;) {
      const { transcript } = store.get();
      if (transcript?.opening !== 'done' || transcript.more) return;
      const { id, last } = transcript;
      const answer = await readPage(api, id, { after: last });
      if (!answer.ok) return tell(store, answer.failure.message);
      // It may have been opened at another place meanwhile, which that does not follow.
      change(id, (now) => (now.last < last ? now : withEvents(now, answer.value.events, answer.value.after)));
      ({ more } = answer.value);
    }
  };

  const open = async (id: string | undefined, at?: number): Promise<void> => {
    const { transcript } = store.get();
    const isSame = transcript?.id === id;
    if (isSame && transcript?.at === at && typeof transcript?.opening !== 'object') return;
    if (id === undefined) return store.set((state) => ({ ...state, transcript: undefined }));
    // Words that it has are told no second time.
    const { streaming, words } = isSame && transcript ? transcript : NO_WORDS;
    store.set((state) => ({ ...state, transcript: { ...emptyTranscript(id, at), streaming, words } }));
    const answer = await (at === undefined ? readPage(api, id, {}) : readAround(api, id, at));
    // It may have been closed and opened again meanwhile: what came first is gone on with.
    change(id, (now) => (now.at !== at || now.opening === 'done' ? now : opened(now, answer)));
    if (!answer.ok) return tell(store, answer.failure.message);
    await catchUp();
  };

  return {
    open,
    async older() {
      const { transcript } = store.get();
      if (transcript?.before === undefined) return;
      const { id, before } = transcript;
      const answer = await readPage(api, id, { before });
      if (!answer.ok) return tell(store, answer.failure.message);
      change(id, (now) => (now.before === before ? withOlder(now, answer.value.events, answer.value.before) : now));
    },
    async later() {
      const { transcript } = store.get();
      if (!transcript?.more) return;
      const { id, last } = transcript;
      const answer = await readPage(api, id, { after: last });
      if (!answer.ok) return tell(store, answer.failure.message);
      const { events, after, more } = answer.value;
      change(id, (now) => (now.last === last ? { ...withEvents(now, events, after), more } : now));
      // What was passed over while there was more.
      await catchUp();
    },
    heard(id, events) {
      const { transcript } = store.get();
      if (transcript?.id !== id || transcript.opening === 'under way') return;
      // Failures are told to the person.
      if (typeof transcript.opening === 'object') void open(id, transcript.at);
      else if (isGap(transcript, events)) void catchUp();
      else change(id, (now) => withEvents(now, events));
    },
    overheard: (id, words) => change(id, (now) => withWords(now, words)),
    catchUp,
  };
}

function opened(transcript: Transcript, answer: Answer<EventsAnswer>): Transcript {
  if (!answer.ok) return { ...transcript, opening: answer.failure };
  const { events, before, after, more } = answer.value;
  return { ...withEvents(transcript, events, after), before, more, opening: 'done' };
}

type Place = { readonly before?: number; readonly after?: number };

function readPage(api: ApiClient, id: string, place: Place): Promise<Answer<EventsAnswer>> {
  return api.get(`threads/${encodeURIComponent(id)}/events`, { query: { ...place, limit: 200 } });
}

/** What precedes an event, and what begins with it, as one page. */
async function readAround(api: ApiClient, id: string, at: number): Promise<Answer<EventsAnswer>> {
  const pages = [readPage(api, id, { before: at }), readPage(api, id, { after: at - 1 })] as const;
  const [before, from] = await Promise.all(pages);
  if (!before.ok) return before;
  if (!from.ok) return from;
  const events = [...before.value.events, ...from.value.events];
  // There may be no event of that number.
  const { after } = from.value.events.length > 0 ? from.value : before.value;
  return { ok: true, value: { ...before.value, events, after, more: from.value.more } };
}

const NO_WORDS = { streaming: '', words: '' };

function tell(store: Store<PageState>, text: string): void {
  store.set((state) => ({ ...state, notice: { tone: 'bad', text } }));
}
