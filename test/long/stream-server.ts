/*
 * A model server in a process of its own, so that its work is not taken for the client's: begins every answer, and goes
 * on with them only when `process.argv[2]` are in flight at the same time (`hold`: never). Prints its origin, and sends a
 * message when `process.argv[3]` connections have gone.
 */
import { createServer, type ServerResponse } from 'node:http';
import { anthropicWire } from '../conformance/anthropic-wire.ts';
import { geminiWire } from '../conformance/gemini-wire.ts';
import { openaiResponsesWire } from '../conformance/openai-responses-wire.ts';
import { openaiWire } from '../conformance/openai-wire.ts';

const WIRES = [anthropicWire, openaiWire, openaiResponsesWire, geminiWire];
const USAGE = { inputTokens: 120, outputTokens: 30, cacheReadTokens: 0, cacheWriteTokens: 0 };
const TEXTS = Array.from({ length: 30 }, (_, at) => `piece ${at} `);

const together = process.argv[2] === 'hold' ? Infinity : Number(process.argv[2]);
const all = Number(process.argv[3]);
const waiting = new Set<() => void>();
let gone = 0;

const server = createServer((request, response) => {
  const wire = WIRES.find(({ path }) => path === request.url);
  const frames = wire?.answer({ kind: 'answer', texts: TEXTS, toolCalls: [], usage: USAGE, finish: 'stop' }) ?? [];
  const goOn = (): void => send(response, frames, BEGUN);
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write(frames.slice(0, BEGUN).join(''));
    waiting.add(goOn);
    response.once('close', () => {
      waiting.delete(goOn);
      if (++gone === all) process.send?.('gone');
    });
    if (waiting.size >= together) for (const one of waiting) one();
  });
});
// All of them come at once.
server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }, () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}`);
});
process.once('disconnect', () => process.exit());

/** Frames until some of the text is there, on every wire. */
const BEGUN = 6;

/** A write each turn of the event loop, since Node joins those of one turn. */
function send(response: ServerResponse, frames: readonly string[], at: number): void {
  const frame = frames[at];
  if (frame === undefined) return void response.end();
  response.write(frame);
  setImmediate(send, response, frames, at + 1);
}
