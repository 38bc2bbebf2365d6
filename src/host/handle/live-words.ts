import type { z } from 'zod';
import { SkeinError } from '../../core/errors.ts';
import type { ThreadEvent } from '../../core/events.ts';
import type { ThreadNo } from '../../core/ids.ts';
import { SILENCE, wordsQuestionSchema, type Words } from '../../core/words.ts';
import { faultLine } from '../../core/zod-fault.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';

/**
 * What models say while they say it, of threads that somebody asks about again and again.
 *
 * Owns: a listener on each thread that was asked about within the last {@link HEARING_MS}, and the text of the answer it is
 * giving. 1. Nobody asks: nothing is listened to, so that workers send nothing. 2. Answers are numbered over all threads, and no
 * number is used again: whoever knows a part of an answer never takes it for a part of another one.
 */
export interface LiveWords {
  /** @throws SkeinError `invalid_argument` */
  read(question: unknown): Words;
}

/** How long a thread is listened to after somebody has asked, milliseconds. */
export const HEARING_MS = 5_000;
/** Most of a text in one answer to a question, characters; the next question gets what follows. */
const MOST_TEXT = 65_536;

type Hearing = { answer: number; text: string; keep(): void };

/** What words are heard with; `find`: a thread in memory by its id. */
export type LiveWordsOptions = Pick<HostContext, 'feed' | 'clock'> & {
  readonly find: (id: string) => ThreadEntry | undefined;
};

/** Makes the live words of a host; nothing is listened to yet. */
export function createLiveWords({ feed, clock, find }: LiveWordsOptions): LiveWords {
  const hearings = new Map<ThreadNo, Hearing>();
  let answers = 0;
  const listen = (entry: ThreadEntry): Hearing => {
    const { thread } = entry.lineage;
    const end = (): void => {
      hearings.delete(thread);
      clock.clearTimer(timer);
      stop();
    };
    let timer = clock.setTimer(HEARING_MS, end);
    const hearing: Hearing = {
      answer: ++answers,
      text: '',
      keep() {
        clock.clearTimer(timer);
        timer = clock.setTimer(HEARING_MS, end);
      },
    };
    const stop = feed.listen(entry, {
      event(event) {
        if (beginsAnswer(event)) Object.assign(hearing, { answer: ++answers, text: '' });
        hearing.text += textOf(event);
      },
      ended: end,
    });
    hearings.set(thread, hearing);
    return hearing;
  };
  return {
    read(given) {
      const { thread_id: id, answer, after } = parse(given);
      const entry = find(id);
      // What is in no worker says nothing.
      if (!entry || entry.worker < 0) return SILENCE;
      const hearing = hearings.get(entry.lineage.thread) ?? listen(entry);
      hearing.keep();
      const from = answer === hearing.answer ? after : 0;
      return { answer: hearing.answer, from, text: hearing.text.slice(from, from + MOST_TEXT) };
    },
  };
}

/** The first piece of one, or the whole of one: then it is in the log. */
function beginsAnswer({ event_type: type, payload }: ThreadEvent): boolean {
  return type === 'cognition_out' || (type === 'cognition_out_delta' && payload.chunk_index === 0);
}

function textOf({ event_type: type, payload }: ThreadEvent): string {
  return type === 'cognition_out_delta' ? payload.text : '';
}

function parse(given: unknown): z.output<typeof wordsQuestionSchema> {
  const parsed = wordsQuestionSchema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new SkeinError('invalid_argument', faultLine(parsed.error));
}
