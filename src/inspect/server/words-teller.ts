import type { ProjectConnection } from '../../index.ts';
import { ENDS_ANSWER, type LogEvent } from '../api.ts';
import type { Viewer } from './viewer.ts';

/** Tells a viewer what the model of the open thread says while it says it. */
export interface WordsTeller {
  /** Tells what has come since the last time; true if something was told. */
  tell(connection: ProjectConnection, thread: string): Promise<boolean>;
  /**
   * These events of the log were told after that. With the end of an answer a page takes the words away that it has: they may be
   * those of the answer that follows, which is told from its beginning then.
   */
  logged(events: readonly LogEvent[]): void;
}

/** Makes one for the thread that a viewer has open; the runtime is asked only while it runs. */
export function createWordsTeller(viewer: Viewer): WordsTeller {
  let known = NOTHING;
  return {
    async tell(connection, thread) {
      if (!isSpeaking(thread, connection)) return false;
      const { answer, from, text } = await connection.words({ thread_id: thread, ...known });
      if (viewer.gone.aborted || (text === '' && answer === known.answer)) return false;
      const isTold = viewer.send({ type: 'words', id: thread, from, text });
      // Whoever has missed a piece is told the answer from its beginning.
      known = isTold ? { answer, after: from + text.length } : NOTHING;
      return isTold;
    },
    logged(events) {
      if (events.some(({ event_type: type }) => ENDS_ANSWER.has(type))) known = NOTHING;
    },
  };
}

const NOTHING = { answer: 0, after: 0 };

function isSpeaking(thread: string, { isRun, window }: ProjectConnection): boolean {
  return isRun && window.thread(thread).status === 'running';
}
