import { SkeinError, type SkeinErrorCode } from './errors.ts';

const UNANSWERED: ReadonlySet<SkeinErrorCode> = new Set(['deadline_exceeded', 'runtime_closed', 'worker_lost']);

/** An answer that can be done without; undefined: whoever was asked had no time for it, or has gone, as these codes say. */
export async function answerOrNone<Answer>(
  asked: Promise<Answer>,
  unanswered: ReadonlySet<SkeinErrorCode> = UNANSWERED,
): Promise<Answer | undefined> {
  try {
    return await asked;
  } catch (thrown) {
    if (thrown instanceof SkeinError && unanswered.has(thrown.code)) return undefined;
    throw thrown;
  }
}
