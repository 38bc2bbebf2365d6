import { expect, test } from 'vitest';
import { checkTargets } from '../targets.ts';
import { NO_CACHE, ONE_MARK } from './baselines.ts';
import { CONTENDERS } from './contenders.ts';
import { cacheFigures } from './figures.ts';
import { replay } from './replay.ts';
import { readSessions } from './session.ts';

const HELD_OUT = 'held-out';

test('a session that was tuned on costs what it should', () => {
  const session = readSessions('tuning').find(({ name }) => name === 'undici-b');
  if (!session) throw new Error('the session is gone');
  const whole = replay(session, 1, NO_CACHE).cost;
  const results = [ONE_MARK, ...CONTENDERS].map((contender) => {
    const { cost, read, sent } = replay(session, 1, contender);
    // Targets are for those that were not tuned on.
    const named = { sessions: HELD_OUT, session: session.name, questions: 1, contender: contender.name };
    return { ...named, cost: cost / whole, read: read / sent };
  });
  expect(checkTargets(cacheFigures(results, [HELD_OUT])).filter(({ reached }) => reached !== true)).toEqual([]);
  expect(checkTargets(cacheFigures(results, [HELD_OUT]))).toHaveLength(4);
  const dear = results.map((one) => ({ ...one, cost: one.cost + 0.2 }));
  expect(checkTargets(cacheFigures(dear, [HELD_OUT])).map(({ reached }) => reached)).toEqual([
    false,
    false,
    false,
    true,
  ]);
});
