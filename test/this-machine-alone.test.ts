import { expect, test } from 'vitest';
import { systemClock } from '../src/core/clock.ts';
import { startRelay } from '../src/inspect/relay/start-relay.ts';
import { startLlmServer } from '../src/providers/server/llm-server.ts';
import { serveMcpHttp } from '../src/tools/mcp-http.ts';
import { serve } from './fixtures/dashboard.ts';
import { listeners, otherAddresses } from './fixtures/other-addresses.ts';

type Open = { readonly url: string; readonly close: () => PromiseLike<void> };
const nothing = (): undefined => undefined;

test.each<[string, () => Promise<Open>]>([
  [
    'The relay of the inspector',
    () => {
      const said = { tellAll: nothing, left: nothing, problem: nothing };
      return startRelay({ port: 0, stately: true, clock: systemClock, ...said });
    },
  ],
  [
    'The dashboard',
    async () => {
      const served = await serve('/nowhere');
      return { url: served.origin, close: () => served[Symbol.asyncDispose]() };
    },
  ],
  [
    'The server of scripted models',
    async () => {
      const server = await startLlmServer({ script: { rules: [{ text: 'hi' }] } });
      return { url: server.origin, close: () => server.close() };
    },
  ],
  [
    'The MCP server',
    () => {
      const createServer = (): never => {
        throw new Error('Nobody may come so far');
      };
      const options = { port: 0, token: 'a-token-of-the-test', clock: systemClock, onProblem: nothing };
      return serveMcpHttp({ ...options, createServer });
    },
  ],
])('%s listens on 127.0.0.1, and at no other address of the machine', async (_, open) => {
  const { url, close } = await open();
  try {
    expect(await listeners(url, ['127.0.0.1', ...otherAddresses()])).toEqual(['127.0.0.1']);
  } finally {
    await close();
  }
});
