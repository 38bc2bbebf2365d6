import { MAX_OUTPUT_TOKENS, MAX_SPEND, PRICE, type Answer } from '../workload.ts';

/** A thread's money in nano-USD, as Skein's ledger has it in a row. */
export type LedgerNode = {
  readonly max: number;
  reserved: number;
  actual: number;
  committed: number;
};

/** The node of a thread that nobody has started. */
export function rootNode(): LedgerNode {
  return { max: MAX_SPEND, reserved: 0, actual: 0, committed: 0 };
}

/** Reserves what a call may cost. As Skein's ledger does it: in its own node, whose parent holds the node's ceiling already. */
export function reserve(node: LedgerNode, amount: number): void {
  if (node.committed + amount > node.max) throw new Error('the budget is too small');
  node.reserved += amount;
  node.committed += amount;
}

/** Gives a reservation back and records what the call cost. */
export function settle(node: LedgerNode, reserved: number, actual: number): void {
  node.reserved -= reserved;
  node.committed += actual - reserved;
  node.actual += actual;
}

/** What a call may cost at most. */
export function worstCase({ inputTokens }: Answer): number {
  return inputTokens * PRICE.input + MAX_OUTPUT_TOKENS * PRICE.output;
}

/** What a call has cost. */
export function priceOf({ inputTokens, outputTokens }: Answer): number {
  return inputTokens * PRICE.input + outputTokens * PRICE.output;
}
