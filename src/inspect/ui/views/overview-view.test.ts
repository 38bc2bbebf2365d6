import { h } from 'preact';
import { expect, test } from 'vitest';
import type { ProjectAnswer } from '../../api.ts';
import { draw } from '../fixtures/drawn.ts';
import { totalsOf } from '../fixtures/thread-row.ts';
import { OverviewView } from './overview-view.tsx';

test('Workers are called by their numbers, whichever of them answer', () => {
  const counters = { threads: 1, states: {}, turns: 0, spend: 0, events: 0 };
  const workers = [
    { number: 1, ...counters },
    { number: 4, ...counters },
  ];
  const runtime = { running: 2, queued: 0, workers };
  const project: ProjectAnswer = { name: 'p', version: '0', runtime, totals: totalsOf(2), pending_approvals: 0 };
  const drawn = draw(h(OverviewView, {}), () => undefined, { project });
  expect(drawn.find('tr').slice(1)).toHaveLength(2);
  expect(drawn.text()).toMatch(/States\s*1\s*1\s*0.*4\s*1\s*0/s);
});

test('A project that can not be read says why', async () => {
  const drawn = draw(h(OverviewView, {}), () => undefined);
  expect(drawn.text()).toBe('Reading the project…');
  await expect.poll(drawn.text).toBe('The project can’t be shown: The dashboard’s server does not answer');
});
