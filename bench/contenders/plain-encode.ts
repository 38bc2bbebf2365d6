/*
 * The lower bound: plain promises doing the same loop. Each thread waits for the same simulated model, calls the same
 * function, keeps its messages, reserves and settles money up its chain of parents in memory, and encodes the very
 * events that Skein stores for such a thread (read back from Skein's database before the bench, so that both change
 * together) as JSON lines, which it counts and drops. No limits, hooks, permissions, cancel, disk or recovery.
 */
import type { SampleEvent, ThreadSample } from '../thread-sample.ts';
import { answerOf, lookUp, MAX_OUTPUT_TOKENS, MAX_SPEND, modelDelay, PRICE, type Answer } from '../workload.ts';
import type { Contender, ContenderSetup } from './contender.ts';

type LedgerNode = {
  readonly parent: LedgerNode | undefined;
  readonly max: number;
  reserved: number;
  actual: number;
  committed: number;
};
type Message = { readonly role: string; readonly text: string; readonly toolInput?: unknown };
type Totals = { threads: number; events: number; bytes: number; spend: number };

/** Makes the contender. */
export async function createPlainEncode({ params, sample }: ContenderSetup): Promise<Contender> {
  if (!sample) throw new Error('plain-encode needs a sample of what Skein stores');
  const { turns, llmMs } = params;
  const totals: Totals = { threads: 0, events: 0, bytes: 0, spend: 0 };
  const problems: string[] = [];

  const runThread = async (): Promise<void> => {
    const log = createLog(totals);
    const ledger: LedgerNode = { parent: undefined, max: MAX_SPEND, reserved: 0, actual: 0, committed: 0 };
    const messages: Message[] = [{ role: 'user', text: sample.prompt }];
    log.write(sample.start);
    for (let turn = 1; turn <= turns; turn++) {
      const worst = worstCase(answerOf(turn, turns));
      reserve(ledger, worst);
      await modelDelay(llmMs);
      const answer = answerOf(turn, turns);
      settle(ledger, worst, priceOf(answer));
      messages.push({ role: 'assistant', text: answer.text, toolInput: answer.toolInput });
      if (answer.toolInput) messages.push({ role: 'tool', text: JSON.stringify(lookUp(answer.toolInput)) });
      log.write(eventsOf(sample, turn));
    }
    totals.threads++;
    totals.spend += ledger.actual;
    if (messages.length !== 2 * turns || ledger.committed !== ledger.actual) problems.push('a thread went wrong');
  };

  return {
    async run(threads) {
      Object.assign(totals, { threads: 0, events: 0, bytes: 0, spend: 0 });
      await Promise.all(Array.from({ length: threads }, runThread));
    },
    inspect: async () => ({
      metrics: {
        events_per_thread: totals.events / totals.threads,
        event_bytes_per_thread: totals.bytes / totals.threads,
        ledger_rows_per_thread: 1,
      },
      problems,
    }),
    [Symbol.asyncDispose]: async () => undefined,
  };
}

function eventsOf({ turns }: ThreadSample, turn: number): readonly SampleEvent[] {
  const events = turns[turn - 1];
  if (!events) throw new Error(`the sample has ${turns.length} turns, not ${turn}`);
  return events;
}

/** Encodes events as JSON lines and drops them. */
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

/** As Skein's ledger does it: a call is reserved in its own node, whose parent holds the node's ceiling already. */
function reserve(node: LedgerNode, amount: number): void {
  if (node.committed + amount > node.max) throw new Error('the budget is too small');
  node.reserved += amount;
  node.committed += amount;
}

function settle(node: LedgerNode, reserved: number, actual: number): void {
  node.reserved -= reserved;
  node.committed += actual - reserved;
  node.actual += actual;
  for (let above = node.parent; above; above = above.parent) above.actual += actual;
}

function worstCase({ inputTokens }: Answer): number {
  return inputTokens * PRICE.input + MAX_OUTPUT_TOKENS * PRICE.output;
}

function priceOf({ inputTokens, outputTokens }: Answer): number {
  return inputTokens * PRICE.input + outputTokens * PRICE.output;
}
