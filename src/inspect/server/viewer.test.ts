import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import type { LiveMessage } from '../api.ts';
import { watchLive } from './live.ts';
import { createViewer, MAX_BUFFERED_BYTES, type Viewer } from './viewer.ts';

/** A message of about so many bytes. */
function message(bytes: number): LiveMessage {
  return { type: 'log', id: 'x'.repeat(bytes), events: [] };
}

/** Fills a viewer until it drops; gives how many messages it has taken. */
function fill(viewer: Viewer, bytes = 100_000): number {
  let taken = 0;
  while (!viewer.isFull()) {
    viewer.send(message(bytes));
    taken++;
  }
  return taken;
}

/** What a viewer is told, as far as it is there. */
async function readAll(viewer: Viewer): Promise<string> {
  viewer.close();
  const decoder = new TextDecoder();
  let text = '';
  for await (const part of viewer.body) text += decoder.decode(part, { stream: true });
  return text;
}

describe('A viewer that does not read', () => {
  test('has a mebibyte waiting for it at most, whatever is sent', async () => {
    const viewer = createViewer(() => 7);
    for (let sent = 0; sent < 50; sent++) viewer.send(message(100_000));
    const text = await readAll(viewer);
    expect(text.length).toBeGreaterThan(MAX_BUFFERED_BYTES / 2);
    expect(text.length).toBeLessThanOrEqual(MAX_BUFFERED_BYTES);
    expect(text.match(/^event: log$/gm)).toHaveLength(9);
  });

  test('is told how many messages it has missed once it reads, before what follows', async () => {
    const viewer = createViewer(() => 7);
    fill(viewer, 300_000);
    viewer.send(message(600_000));
    // Looks that were not taken are no messages: there may have been nothing to tell.
    for (let look = 0; look < 600; look++) viewer.skip();
    const reader = viewer.body.getReader();
    await reader.read();
    await reader.read();
    viewer.send({ type: 'hello', is_run: true, at_ms: 8, up_to: '1.1.0' });
    reader.releaseLock();
    const text = await readAll(viewer);
    expect(text).toContain('event: dropped\ndata: {"type":"dropped","messages":1,"at_ms":7}\n\nevent: hello\n');
  });

  test('costs nothing: nothing is read for it', async () => {
    const clock = createHandClock();
    const viewer = createViewer(() => clock.now());
    fill(viewer);
    let reads = 0;
    const reach = (): Promise<never> => {
      reads++;
      return Promise.reject(new Error('nobody should have asked'));
    };
    const problems: unknown[] = [];
    watchLive(viewer, { levels: ['root'] }, { reach, clock, problem: (failure) => problems.push(failure) });
    for (let time = 0; time < 20; time++) {
      clock.advance(1_000);
      await Promise.resolve();
    }
    expect([reads, problems]).toEqual([0, []]);
    viewer.close();
  });
});

test('A viewer that leaves is told no more', async () => {
  const viewer = createViewer(() => 7);
  await viewer.body.cancel();
  expect(viewer.gone.aborted).toBe(true);
  expect(() => viewer.send(message(10))).not.toThrow();
});

test('A viewer whose project fails is let go, and somebody hears why', async () => {
  const clock = createHandClock();
  const viewer = createViewer(() => clock.now());
  const heard = Promise.withResolvers<unknown>();
  watchLive(
    viewer,
    { levels: [] },
    { reach: () => Promise.reject(new Error('broken')), clock, problem: heard.resolve },
  );
  expect(await heard.promise).toEqual({ code: 'internal', message: 'broken' });
  expect(viewer.gone.aborted).toBe(true);
});
