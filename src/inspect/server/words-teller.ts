import type { ProjectConnection } from '../../index.ts';
import type { Viewer } from './viewer.ts';

/** Tells a viewer what the model of the open thread says while it says it. */
export interface WordsTeller {
  /** Tells what has come since the last time; true if something was told. */
  tell(connection: ProjectConnection): Promise<boolean>;
}

/** Makes one; the runtime is asked only while the thread runs. */
export function createWordsTeller(viewer: Viewer, thread: string | undefined): WordsTeller {
  let known = NOTHING;
  return {
    async tell(connection) {
      if (thread === undefined || !isSpeaking(thread, connection)) return false;
      const { answer, from, text } = await connection.words({ thread_id: thread, ...known });
      if (viewer.gone.aborted || (text === '' && answer === known.answer)) return false;
      const isTold = viewer.send({ type: 'words', id: thread, from, text });
      // Whoever has missed a piece is told the answer from its beginning.
      known = isTold ? { answer, after: from + text.length } : NOTHING;
      return isTold;
    },
  };
}

const NOTHING = { answer: 0, after: 0 };

function isSpeaking(thread: string, { isRun, window }: ProjectConnection): boolean {
  return isRun && window.thread(thread).status === 'running';
}
