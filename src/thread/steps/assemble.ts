import { toFailure, messageOf } from '../../core/errors.ts';
import { contextTooLong } from '../conversation/context-pressure.ts';
import { deliverInbox, type InWorker } from '../conversation/conversation.ts';
import type { Effect } from './effects.ts';
import { layOutRequest } from '../tiers/lay-out-request.ts';
import { reviewText } from '../tiers/review-text.ts';

/**
 * Lays the next request of a thread in tiers out (S1): takes in what has changed in the project, asks the policy where things
 * stand, and counts what the call will read. What can't be read, the index or the review, is a warning: the thread goes on with
 * what was known.
 */
export const assemble: Effect = (thread, services) => {
  const { assembly: session } = thread;
  if (!session) throw new Error('assemble without a session');
  deliverInbox({ thread, services });
  const step = Symbol('step');
  session.step = step;
  // It never rejects.
  void readFacts({ thread, services }).then((facts) => {
    // Overtaken by another step, or by the end of this one.
    if (session.step !== step || thread.ended) return;
    session.step = undefined;
    finish({ thread, services }, facts);
  });
};

function finish({ thread, services }: InWorker, { review, warnings }: Facts): void {
  try {
    for (const message of warnings) services.journal.record(thread, 'warning', { code: 'tool_failed', message });
    layOutRequest({ thread, services }, review);
    if (thread.contextTokens < thread.plan.model.contextWindow) return thread.send({ type: 'ASSEMBLED' });
    // What it shows may have grown on the disk: another thread goes on with less of it.
    const { enabled } = services.config.resilience.continuation;
    thread.send(enabled ? { type: 'CONTEXT_FULL' } : { type: 'FAIL', failure: contextTooLong(thread) });
  } catch (thrown) {
    thread.send({ type: 'FAIL', failure: toFailure(thrown) });
  }
}

type Facts = { readonly review: string; readonly warnings: readonly string[] };

async function readFacts({ thread, services }: InWorker): Promise<Facts> {
  const warnings: string[] = [];
  const attempt = async <Value>(work: () => Promise<Value>, what: string): Promise<Value | undefined> => {
    try {
      return await work();
    } catch (thrown) {
      warnings.push(`${what} could not be read: ${messageOf(thrown)}`);
      return undefined;
    }
  };
  await attempt(() => services.assembly.symbols.refresh(), 'The symbols of the project');
  const review = await attempt(() => reviewText({ thread, services }), 'What is under review');
  return { review: review ?? '', warnings };
}
