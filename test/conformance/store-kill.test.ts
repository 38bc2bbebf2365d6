import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { decodeEvents } from '../../src/core/events.ts';
import type { StoreReader } from '../../src/core/store.ts';
import { openStore } from '../../src/store/open.ts';
import { openReader } from '../../src/store/reader.ts';
import { scratchFolder, shippedTables } from './store-fixture.ts';

const WRITER = fileURLToPath(new URL('store-kill-writer.ts', import.meta.url));

type Ack = { readonly sequence: number; readonly spent: number };

/** Runs the writer until it has acknowledged `acks` lines, kills it mid-work and returns what it acknowledged. */
async function killAfter(path: string, acks: number): Promise<Map<number, Ack>> {
  const child = spawn(process.execPath, [WRITER, path], { stdio: ['ignore', 'pipe', 'inherit'] });
  const acknowledged = new Map<number, Ack>();
  let rest = '';
  let seen = 0;
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    const complete = (rest + text).split('\n');
    rest = complete.pop() ?? '';
    for (const line of complete) {
      const [, thread, sequence, spent] = line.split(' ').map(Number);
      acknowledged.set(thread ?? 0, { sequence: sequence ?? 0, spent: spent ?? 0 });
    }
    seen += complete.length;
    if (seen >= acks) child.kill('SIGKILL');
  });
  await once(child, 'close');
  expect(child.signalCode).toBe('SIGKILL');
  return acknowledged;
}

/** Everything acknowledged is there, the log has no gap, and log, checkpoint, cost and ledger are of the same step. */
function expectWhole(reader: StoreReader, acknowledged: Map<number, Ack>): void {
  let spentTogether = 0;
  let root = 0;
  for (const [thread, ack] of acknowledged) {
    const row = reader.threadByNo(thread);
    const sequences = decodeEvents(reader.events(thread).join('')).map(({ sequence }) => sequence);
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    expect(sequences.length).toBeGreaterThan(ack.sequence);
    expect(row).toMatchObject({ status: 'suspended', suspendReason: 'shutdown' });
    const spent = row?.cost.spend ?? 0;
    expect(spent).toBeGreaterThanOrEqual(ack.spent);
    expect(reader.ledger(thread)).toMatchObject({ reserved: 10, actual: spent, committed: spent + 10 });
    spentTogether += spent;
    root = row?.root ?? 0;
  }
  expect(acknowledged.size).toBe(4);
  expect(reader.ledger(root)).toMatchObject({ actual: spentTogether, committed: 4e9 });
}

test('20 kills at random moments lose nothing that was acknowledged', { timeout: 60_000 }, async () => {
  using scratch = scratchFolder();
  const rounds: Map<number, Ack>[] = [];
  for (let round = 0; round < 20; round++) {
    rounds.push(await killAfter(scratch.path, 4 + Math.floor(Math.random() * 200)));
    const store = openStore({ path: scratch.path, tables: shippedTables(), now: Date.now });
    expect(store.opened.suspendedOrphans).toBe(5);
    for (const [thread, { sequence }] of rounds.at(-1) ?? []) {
      const [loaded] = store.commit([{ type: 'load', thread }]);
      expect(loaded).toMatchObject({ type: 'loaded', thread: { checkpoint: expect.anything() } });
      if (loaded === true || loaded?.type !== 'loaded') continue;
      expect(loaded.thread.checkpoint?.sequence).toBeGreaterThanOrEqual(sequence);
      expect(loaded.thread.checkpoint?.state).toBe(String(loaded.thread.lastSequence - 1));
    }
    store.close();
  }
  const reader = openReader(scratch.path);
  for (const acknowledged of rounds) expectWhole(reader, acknowledged);
  reader.close();
});
