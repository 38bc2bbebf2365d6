/*
 * The lower bound: plain promises doing the same loop. Each thread waits for the same simulated model, calls the same
 * function, keeps its messages, reserves and settles money in memory, and encodes the very
 * events that Skein stores for such a thread (read back from Skein's database before the bench, so that both change
 * together) as JSON lines, which it counts and drops. No limits, hooks, permissions, cancel, disk or recovery.
 */
import type { SampleEvent, ThreadSample } from '../thread-sample.ts';
import { fanOutWork, lookUp } from '../workload.ts';
import type { Contender, ContenderSetup } from './contender.ts';
import { checkThread, outcomeOf } from './outcome.ts';
import { afterCall, afterTools, beforeCall, endThread, startThread } from './plain-thread.ts';

type Totals = { threads: number; events: number; bytes: number };

/** Makes the contender. */
export async function createPlainEncode({ params, sample }: ContenderSetup): Promise<Contender> {
  if (!sample) throw new Error('plain-encode needs a sample of what Skein stores');
  const work = fanOutWork(params);
  const { turns } = work;
  const expected = outcomeOf(work);
  const totals: Totals = { threads: 0, events: 0, bytes: 0 };

  const runThread = async (): Promise<void> => {
    const log = createLog(totals);
    const thread = startThread(sample.prompt);
    log.write(sample.start);
    for (let turn = 1; turn <= turns; turn++) {
      const answer = work.answerOf(turn);
      beforeCall(thread, answer);
      await work.callModel();
      afterCall(thread, answer);
      afterTools(thread, answer.toolInputs.map(lookUp));
      log.write(eventsOf(sample, turn));
    }
    checkThread(endThread(thread), expected);
    totals.threads++;
  };

  return {
    async run(threads) {
      Object.assign(totals, { threads: 0, events: 0, bytes: 0 });
      await Promise.all(Array.from({ length: threads }, runThread));
    },
    inspect: async () => ({
      metrics: {
        events_per_thread: totals.events / totals.threads,
        event_bytes_per_thread: totals.bytes / totals.threads,
        ledger_rows_per_thread: 0,
      },
      problems: [],
    }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function eventsOf({ turns }: ThreadSample, turn: number): readonly SampleEvent[] {
  const events = turns[turn - 1];
  if (!events) throw new Error(`the sample has ${turns.length} turns, not ${turn}`);
  return events;
}

/** Encodes events as JSON lines and drops them. Each payload is copied, since a thread makes its own. */
function createLog(totals: Totals): { write(events: readonly SampleEvent[]): void } {
  let sequence = 0;
  return {
    write(events) {
      let lines = '';
      for (const { event_type, payload } of events) {
        lines += `${JSON.stringify({ sequence: ++sequence, event_type, time: Date.now(), payload: { ...payload } })}\n`;
      }
      totals.events += events.length;
      totals.bytes += lines.length;
    },
  };
}
