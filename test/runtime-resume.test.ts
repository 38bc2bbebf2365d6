import { describe, expect, test } from 'vitest';
import { scene, startOn, until, type Part } from './fixtures/scene.ts';

const SLOW: Record<string, Part> = { slow: { says: [{ text: 'hm', delay_ms: 30_000 }] } };

async function suspended(it: Awaited<ReturnType<typeof scene>>) {
  const handle = await it.runtime.spawn('slow');
  await until(handle, 'cognition_in');
  await it.runtime.close({ graceMs: 0 });
  return handle.id;
}

describe('A thread that is being read back', () => {
  test('hears a cancel that comes in the same tick', async () => {
    await using it = await scene(SLOW);
    const id = await suspended(it);
    await using next = await startOn(it.project, SLOW);
    const handle = next.thread(id);
    await handle.resume();
    await handle.cancel('changed my mind');
    expect(await handle.result).toMatchObject({ status: 'cancelled' });
    expect(it.project.log(id).filter(({ event_type }) => event_type === 'thread_cancelled')).toHaveLength(1);
  });

  test('hears a message that comes in the same tick', async () => {
    await using it = await scene(SLOW);
    const id = await suspended(it);
    const answer: Record<string, Part> = { slow: { says: [{ text: '${last.text}' }] } };
    await using next = await startOn(it.project, answer);
    const handle = next.thread(id);
    await handle.resume();
    handle.send('the other way round');
    expect(await handle.result).toMatchObject({ status: 'completed', text: 'the other way round' });
  });

  test('does not keep a runtime from closing', async () => {
    await using it = await scene(SLOW);
    const id = await suspended(it);
    const next = await startOn(it.project, SLOW);
    const handle = next.thread(id);
    await handle.resume();
    await next.close({ graceMs: 0 });
    expect(await handle.result).toMatchObject({ status: 'suspended' });
  });
});

test('one thread that throws in the middle of a step ends alone, beside 100 neighbours', async () => {
  const parts: Record<string, Part> = {
    // Its context names a knowledge item that is not there: building its prompt throws.
    broken: { says: [{ text: 'never' }], hooks: '' },
    fine: { says: [{ text: 'done', delay_ms: 20 }] },
  };
  await using it = await scene(parts, { config: { resilience: { concurrency: { max_total_threads: 200 } } } });
  it.project.write(
    '.ai/directives/broken.md',
    '```xml\n<directive name="broken" version="1.0.0"><metadata><description>x</description>' +
      '<context><before>no/such/item</before></context></metadata></directive>\n```\n\nGo.\n',
  );
  const neighbours = await Promise.all(Array.from({ length: 100 }, () => it.runtime.spawn('fine')));
  const broken = await it.runtime.spawn('broken');
  expect(await broken.result).toMatchObject({ status: 'error', error: { code: 'item_not_found' } });
  const endings = await Promise.all(neighbours.map(({ result }) => result));
  expect(endings.filter(({ status }) => status === 'completed')).toHaveLength(100);
});
