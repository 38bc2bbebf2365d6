import { join } from 'node:path';
import { expect, test } from 'vitest';
import { receive } from '../fixtures/inspector-receiver.ts';
import { call, NEVER, project, scene, until, type Part } from '../fixtures/scene.ts';

const WAIT = { timeout: 20_000, interval: 50 } as const;

test('Of a worker that is lost, nothing is seen to run any more', async () => {
  using own = project();
  const deadly: Part = { tools: ['app/*'], says: [call('app_exit', { file: join(own.path, 'deaths') }), NEVER] };
  const parts: Readonly<Record<string, Part>> = { endless: { says: [NEVER] }, deadly };
  const tools = [new URL('../fixtures/deadly-tools.ts', import.meta.url)];
  await using it = await scene(parts, { inspect: true, tools });
  const receiver = receive(it.runtime.inspector?.url ?? '');
  await receiver.until('supervisor');
  const endless = await it.runtime.spawn('endless');
  await until(endless, 'thread_started');
  await expect.poll(() => receiver.actors().get(endless.id)?.state, WAIT).toBe('running.calling');
  const first = receiver.actors().get(endless.id)?.actor;
  await it.runtime.spawn('deadly');

  await expect.poll(() => receiver.actors().get(endless.id)?.actor.sessionId, WAIT).not.toBe(first?.sessionId);
  const worker = (sessionId = ''): string => sessionId.split(':')[0] ?? '';
  const last = new Map(receiver.told.flatMap((event) => ('snapshot' in event ? [[event.sessionId, event]] : [])));
  const inLost = [...last.values()].filter(({ sessionId }) => worker(sessionId) === worker(first?.sessionId));
  expect(inLost.map(({ snapshot }) => snapshot.status)).toEqual(['stopped', 'stopped', 'stopped']);
  await expect.poll(() => receiver.actors().get(endless.id)?.state, WAIT).toBe('running.calling');
});
