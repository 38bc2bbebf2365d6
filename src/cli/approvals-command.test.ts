import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { admit, shippedTables, step } from '../../test/conformance/store-fixture.ts';
import type { ApprovalId } from '../core/ids.ts';
import { openStore } from '../store/open.ts';
import { commandIn } from './fixtures/command-in.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'skein-cli-approvals-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function idOfRequest(no: number): ApprovalId {
  return `approval-${no.toString(16).padStart(32, '0')}`;
}

/** Stores so many threads, each of which asks for something. */
function asked(count: number): void {
  const folder = join(root, 'project', '.ai', 'threads');
  mkdirSync(folder, { recursive: true });
  const store = openStore({ path: join(folder, 'threads.db'), tables: shippedTables(), now: () => 0 });
  for (let no = 1; no <= count; no++) {
    const none = { limitCode: undefined, currentValue: undefined, currentMax: undefined, suggested: undefined };
    const question = { reason: 'approval', askedBy: 'demo/task, hook gate', message: 'May I?' } as const;
    const request = { approvalId: idOfRequest(no), ...question, ...none };
    const suspended = { status: { to: 'suspended', reason: 'approval' }, request } as const;
    expect(store.commit([admit(no), step(no, 1, suspended)])).toEqual([true, true]);
  }
  store.close();
}

describe('skein approvals list', () => {
  test.each<[stored: number, args: readonly string[], shown: number, more: boolean]>([
    [2, ['--limit', '2'], 2, false],
    [3, ['--limit', '2'], 2, true],
    [100, [], 100, false],
    [101, [], 100, true],
    [101, ['--limit', '10000'], 101, false],
  ])('of %i requests with %j shows %i, and says whether there are more: %j', async (stored, args, shown, more) => {
    asked(stored);
    const text = await commandIn(root, ['approvals', 'list', ...args]);
    expect([text.code, text.err]).toEqual([0, '']);
    expect(text.out.match(/^approval-/gm)).toHaveLength(shown);
    expect(text.out.endsWith('\n\nThere are more: --limit N\n')).toBe(more);
    const json = JSON.parse((await commandIn(root, ['approvals', 'list', '--json', ...args])).out);
    expect(json).toEqual({ approvals: expect.any(Array), more });
    const ids = json.approvals.map(({ approval_id: id }: { readonly approval_id: string }) => id);
    expect(ids).toEqual(Array.from({ length: shown }, (_, at) => idOfRequest(stored - at)));
  });

  test('refuses to show more than can be asked for', async () => {
    asked(1);
    const { code, err } = await commandIn(root, ['approvals', 'list', '--limit', '10001']);
    expect([code, err]).toEqual([2, expect.stringMatching(/--limit .*10,?000.*\[invalid_argument\]/)]);
  });
});

test.each([['list', '--thread'], ['grant'], ['deny']])(
  'what the operation behind skein approvals %s refuses is no fault of the command line',
  async (...words) => {
    asked(1);
    const { code, err } = await commandIn(root, ['approvals', ...words, 'x'.repeat(10_000)]);
    expect([code, err]).toEqual([3, expect.stringContaining('[invalid_argument]')]);
  },
);
