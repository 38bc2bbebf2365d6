/*
 * The other side of the scenario `stream`, in a process of its own so that its CPU does not count: answers every request
 * with the frames of its wire, one write each. Prints its origin.
 */
import { createServer, type ServerResponse } from 'node:http';
import { WIRES, answerFrames } from './provider-wires.ts';

const chunks = Number(process.argv[2]);
const frames = new Map(Object.values(WIRES).map(({ wire }) => [wire.path, answerFrames(wire, chunks)]));

const server = createServer((request, response) => {
  request.resume().once('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    send(response, frames.get(request.url ?? '') ?? [], 0);
  });
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (typeof address === 'object') console.log(`http://127.0.0.1:${address?.port}`);
});
process.once('disconnect', () => process.exit());

/** A write each turn of the event loop, since Node joins those of one turn. */
function send(response: ServerResponse, pieces: readonly Buffer[], at: number): void {
  const piece = pieces[at];
  if (piece === undefined) return void response.end();
  response.write(piece);
  setImmediate(send, response, pieces, at + 1);
}
