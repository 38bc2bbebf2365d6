import { expect, test } from 'vitest';
import type { WorkerCommand } from '../../core/protocol.ts';
import { createBackOffs, type BackOffs } from './back-offs.ts';

const PROVIDER = { provider: 'anthropic' } as const;

function bench(): { readonly backOffs: BackOffs; readonly told: WorkerCommand[] } {
  const told: WorkerCommand[] = [];
  return { backOffs: createBackOffs((command) => void told.push(command)), told };
}

const refused = (startedIn: number, until: number) =>
  ({ type: 'providerRefused', ...PROVIDER, startedIn, until }) as const;
const answered = (startedIn: number) => ({ type: 'providerAnswered', ...PROVIDER, startedIn }) as const;

test('Every worker hears of a refusal, and once of twenty calls that were refused together', () => {
  const { backOffs, told } = bench();
  for (let call = 0; call < 20; call++) backOffs.refused(refused(0, 1000 - call));
  expect(told).toEqual([{ type: 'backOff', ...PROVIDER, round: 1, streak: 1, until: 1000 }]);
});

test('A refusal in the next round is the second in a row, for whichever worker', () => {
  const { backOffs, told } = bench();
  backOffs.refused(refused(0, 1000));
  backOffs.refused(refused(1, 3000));
  backOffs.refused(refused(1, 2900));
  expect(told.slice(1)).toEqual([{ type: 'backOff', ...PROVIDER, round: 2, streak: 2, until: 3000 }]);
});

test('An answer ends the row', () => {
  const { backOffs, told } = bench();
  backOffs.answered(answered(0));
  backOffs.refused(refused(0, 1000));
  backOffs.refused(refused(1, 2000));
  backOffs.answered(answered(2));
  backOffs.answered(answered(2));
  backOffs.refused(refused(2, 3000));
  expect(told.slice(2)).toEqual([
    { type: 'backOff', ...PROVIDER, round: 2, streak: 0, until: 2000 },
    { type: 'backOff', ...PROVIDER, round: 3, streak: 1, until: 3000 },
  ]);
});

test('An answer that comes rounds later leaves in the row what was refused since', () => {
  const { backOffs, told } = bench();
  for (const round of [0, 1, 2, 3]) backOffs.refused(refused(round, 1000 * (round + 1)));
  backOffs.answered(answered(2));
  backOffs.answered(answered(1));
  expect(told.slice(4)).toEqual([{ type: 'backOff', ...PROVIDER, round: 4, streak: 2, until: 4000 }]);
});

test('Providers do not wait for each other', () => {
  const { backOffs, told } = bench();
  backOffs.refused(refused(0, 1000));
  backOffs.refused({ ...refused(0, 500), provider: 'openai' });
  expect(told).toMatchObject([
    { provider: 'anthropic', round: 1 },
    { provider: 'openai', round: 1, until: 500 },
  ]);
});
