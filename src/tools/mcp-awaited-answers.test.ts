import { InMemoryTransport } from '@modelcontextprotocol/sdk/inMemory.js';
import { expect, test, vi } from 'vitest';
import { AwaitedAnswers } from './mcp-awaited-answers.ts';

test('What is thrown at a message is an error of the line, and does not reach who reads from it', async () => {
  const [line, server] = InMemoryTransport.createLinkedPair();
  const answers = new AwaitedAnswers(line);
  const onerror = vi.fn<(error: Error) => void>();
  answers.onerror = onerror;
  answers.onmessage = () => {
    throw new RangeError('too deep');
  };
  await answers.start();
  // It hands the message over before it returns, as a pipe's `data` does.
  await server.send({ jsonrpc: '2.0', method: 'notifications/message' });
  expect(onerror).toHaveBeenCalledExactlyOnceWith(new RangeError('too deep'));
});
