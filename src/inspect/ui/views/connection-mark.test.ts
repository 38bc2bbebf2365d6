import { h } from 'preact';
import { expect, test } from 'vitest';
import { draw } from '../fixtures/drawn.ts';
import { ConnectionMark } from './connection-mark.tsx';

test('A connection that is not there says why, and its countdown is not read out every second', async () => {
  const failure = { code: 'not_available', message: 'There are 32 viewers already' };
  const drawn = draw(h(ConnectionMark, {}), () => undefined);
  drawn.dashboard.store.set((state) => ({ ...state, connection: { kind: 'lost', failure, retryAtMs: 0 } }));
  await expect.poll(drawn.text).toBe('✕ not connected: There are 32 viewers alreadyagain now');
  const [state, countdown] = drawn.find('span');
  expect(state?.attributes.has('aria-hidden')).toBe(false);
  expect(countdown?.attributes.get('aria-hidden')).toBe('true');
});
