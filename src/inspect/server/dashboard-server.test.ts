import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../core/clock.ts';
import type { ProjectConnection } from '../../index.ts';
import { TOKEN_HEADER } from '../api.ts';
import type { DashboardServer } from './dashboard-server.ts';
import { MAX_BODY_BYTES } from './guard.ts';
import { startDashboard } from './start-dashboard.ts';

const TOKEN = 'a-token-of-the-test';
const encoder = new TextEncoder();

describe('A change whose length is not said', () => {
  let server: DashboardServer;
  beforeAll(async () => {
    // Nothing else is asked of a project here.
    const suspendThread = async (id: string) => ({ success: true, threadId: id, status: 'suspended' });
    const connection = { isOpen: true, isRun: true, orchestrator: { suspendThread }, close: () => undefined };
    server = await startDashboard({
      name: 'demo',
      version: '0.0.0',
      charts: { thread: {}, supervisor: {} },
      clock: systemClock,
      connect: async () => connection as unknown as ProjectConnection,
      pageFolder: '/nowhere',
      port: 0,
      token: TOKEN,
      redact: (text) => text,
      problem: (failure) => expect.unreachable(failure.message),
    });
  });
  afterAll(() => server.close());

  test.each<[string, readonly string[], number]>([
    ['without a body', [], 200],
    ['with a body in pieces', ['{', '}'], 200],
    ['with as much as there may be', ['{}', ' '.repeat(MAX_BODY_BYTES - 2)], 200],
    ['with more than there may be', ['{}', ' '.repeat(MAX_BODY_BYTES - 1)], 413],
    ['with what is no JSON', ['{'], 400],
    ['with what nobody asks for', ['{"also":', '1}'], 400],
  ])('%s is answered for what it is', async (_, pieces, status) => {
    const answer = await fetch(`${server.origin}/api/threads/thread-1/suspend`, {
      method: 'POST',
      headers: { [TOKEN_HEADER]: TOKEN, 'content-type': 'application/json' },
      body: ReadableStream.from(pieces.map((piece) => encoder.encode(piece))),
      duplex: 'half',
    });
    const refused = { error: { code: 'invalid_argument', message: expect.any(String) } };
    const expected = status === 200 ? { id: 'thread-1', status: 'suspended' } : refused;
    expect([answer.status, await answer.json()]).toEqual([status, expected]);
  });
});
