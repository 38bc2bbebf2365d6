import { createServer } from 'node:http';
import { expect, test } from 'vitest';
import { createAddressCheck, listenHere, stopListening } from './listen-here.ts';

const HERE = { host: '127.0.0.1:4000' };

test.each([
  [4000, HERE, undefined],
  [4000, { host: 'localhost:4000' }, undefined],
  [4000, { host: '127.0.0.1' }, 'This host is not served'],
  [4000, { host: 'evil.example:4000' }, 'This host is not served'],
  [4000, {}, 'This host is not served'],
  // What is written without a port is at this one, and browsers leave it out.
  [80, { host: 'localhost' }, undefined],
  [80, { host: '127.0.0.1:80', origin: 'http://127.0.0.1' }, undefined],
  [4000, { ...HERE, origin: 'http://localhost:4000' }, undefined],
  [4000, { ...HERE, origin: 'http://localhost:4001' }, 'This origin is not served'],
  [4000, { ...HERE, origin: 'null' }, 'This origin is not served'],
])('A request to this machine at port %i with %j: %s', (port, headers, refusal) => {
  expect(createAddressCheck(port)(headers)).toBe(refusal);
});

test('A server stops with an answer under way, and may be stopped again', async () => {
  const server = createServer((_, response) => void response.write('begun'));
  const port = await listenHere(server, 0);
  const { body } = await fetch(`http://127.0.0.1:${port}`);
  await stopListening(server);
  await stopListening(server);
  await expect(new Response(body).text()).rejects.toThrow('terminated');
});
