import { expect } from 'vitest';
import { decodeEvents } from '../../src/core/events.ts';
import { openStore } from '../../src/store/open.ts';
import { openReader } from '../../src/store/reader.ts';
import { admit, shippedTables } from '../conformance/store-fixture.ts';

type Acks = ReadonlyMap<number, { readonly sequence: number; readonly spent: number }>;

/** The last acknowledgement of each thread in what the writer printed; a line that is not complete counts for nothing. */
export function acksIn(printed: string): Acks {
  const lines = printed.slice(0, printed.lastIndexOf('\n') + 1).split('\n');
  const acks = lines.map((line) => /^ack (\d+) (\d+) (\d+)$/.exec(line)?.slice(1).map(Number)).filter(Boolean);
  return new Map(acks.map(([thread = 0, sequence = 0, spent = 0] = []) => [thread, { sequence, spent }]));
}

/**
 * Opens the store anew, as the next runtime does, and expects E1 of what was acknowledged, E2, and that log, checkpoint,
 * cost and ledger are of the same step; then that it takes another thread. Returns how many threads there were.
 */
export function expectWholeAfterOpen(path: string, acks: Acks): number {
  const store = openStore({ path, tables: shippedTables(), now: () => 9_000 });
  const next = store.opened.nextThread;
  expect(store.commit([admit(next)])).toEqual([true]);
  store.close();
  expect(next).toBeGreaterThan(Math.max(0, ...acks.keys()));
  const reader = openReader(path);
  for (let thread = 1; thread < next; thread++) expectOneStep(reader, thread, acks.get(thread));
  reader.close();
  return next - 1;
}

function expectOneStep(
  reader: ReturnType<typeof openReader>,
  thread: number,
  ack: { readonly sequence: number; readonly spent: number } | undefined,
): void {
  const sequences = decodeEvents(reader.events(thread).join('')).map(({ sequence }) => sequence);
  expect(sequences).toEqual(sequences.map((_, index) => index + 1));
  expect(sequences.length).toBeGreaterThanOrEqual(ack?.sequence ?? 0);
  const { cost, parent } = reader.threadByNo(thread) ?? {};
  expect(cost?.spend).toBeGreaterThanOrEqual(ack?.spent ?? 0);
  if (parent === undefined) return;
  expect(reader.ledger(thread)).toMatchObject({ actual: cost?.spend });
  // The last event is the suspension that the open added.
  expect(Number(reader.checkpoint(thread) ?? 0)).toBe(sequences.length - 1);
}
