import { h } from 'preact';
import { expect, test } from 'vitest';
import { draw } from '../../fixtures/drawn.ts';
import { logEvent } from '../../fixtures/log-event.ts';
import { ErrorsTab } from './errors-tab.tsx';

const FAILED = logEvent(5, 'error_classified', { category: 'transient', message: 'boom' });

test('A thread whose last part has no errors is not called sound before its beginning was read', async () => {
  const drawn = draw(h(ErrorsTab, { id: 't' }), (path) =>
    path.endsWith('before=90') ? { events: [FAILED], up_to: 89 } : { events: [], before: 90, up_to: 100 },
  );
  await expect.poll(drawn.text).toContain('Nothing in what was read of its log.');
  expect(drawn.text()).not.toContain('Nothing has gone wrong.');
  drawn.press('Earlier');
  await expect.poll(drawn.text).toContain('boom');
  expect(drawn.find('button')).toEqual([]);
});

test('A thread whose whole log has none is', async () => {
  const drawn = draw(h(ErrorsTab, { id: 't' }), () => ({ events: [], up_to: 100 }));
  await expect.poll(drawn.text).toBe('Nothing has gone wrong.');
});
