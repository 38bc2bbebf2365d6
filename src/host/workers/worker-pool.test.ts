import { once } from 'node:events';
import { MessageChannel } from 'node:worker_threads';
import { describe, expect, test, vi } from 'vitest';
import { endingPort } from './worker-pool.ts';

describe('a port that says when its worker is gone', () => {
  test('says so after everything else', async () => {
    const { port1, port2 } = new MessageChannel();
    const heard = vi.fn<(message: unknown) => void>();
    endingPort(port1).on('message', heard);
    port2.postMessage(['first']);
    port2.close();
    await once(port1, 'close');
    expect(heard.mock.calls).toEqual([[['first']], [[{ type: 'gone' }]]]);
  });

  test('also to whoever listens when it is gone already', async () => {
    const { port1, port2 } = new MessageChannel();
    const port = endingPort(port1);
    port2.close();
    await once(port1, 'close');
    const heard = vi.fn<(message: unknown) => void>();
    port.on('message', heard);
    await vi.waitFor(() => expect(heard.mock.calls).toEqual([[[{ type: 'gone' }]]]), { timeout: 10_000 });
  });
});
