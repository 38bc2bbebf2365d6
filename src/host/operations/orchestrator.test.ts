import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { loadConfig } from '../../config/load.ts';
import { NOTHING_STORED } from '../../store/untouched.ts';
import { createOperations } from './dispatcher.ts';
import { createOrchestrator, type Orchestrator } from './orchestrator.ts';
import { restingThreads } from './resting-threads.ts';

const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../../../config', import.meta.url)) });
const operations = createOperations(restingThreads({ reader: NOTHING_STORED, config, isRun: () => false }));
const orchestrator = createOrchestrator((name, input) => operations.call(name, input));

test.each<[told: string, (on: Orchestrator) => Promise<unknown>]>([
  ['timeoutMs of waitThreads', (on) => on.waitThreads(['x'], { timeoutMs: null as never })],
  ['timeoutMs of waitThreads', (on) => on.waitThreads(['x'], { timeoutMs: '50' as never })],
  ['waitMs of readEvents', (on) => on.readEvents('x', { waitMs: true as never })],
  ['inputs', (on) => on.forkThread('x', { at: 0, inputs: ['x'] as never })],
  ['limits', (on) => on.forkThread('x', { at: 0, limits: new Map([['turns', 1]]) as never })],
  ['limits', (on) => on.resumeThread('x', 'on', { limits: new Map([['turns', 1]]) as never })],
])('What is no %s is refused as that, whatever could be made of it', async (told, ask) => {
  const refused = { code: 'invalid_argument', message: expect.stringContaining(told) };
  await expect(ask(orchestrator)).rejects.toMatchObject(refused);
});

test('A limit that is undefined is none', async () => {
  const answer = await orchestrator.resumeThread('x', 'on', { limits: { turns: undefined, spend: 1 } });
  expect(answer).toMatchObject({ success: false, code: 'thread_not_found' });
});
