import type { IncomingMessage } from 'node:http';

/** Reads a request's body as text; undefined when it is larger than allowed, and then nothing more of it is read. */
export function readBody(request: IncomingMessage, maxBytes: number, done: (text: string | undefined) => void): void {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return done(undefined);
  const pieces: Buffer[] = [];
  let size = 0;
  request.on('data', (piece: Buffer) => {
    size += piece.length;
    if (size <= maxBytes) return void pieces.push(piece);
    request.removeAllListeners('data').removeAllListeners('end').pause();
    done(undefined);
  });
  request.on('end', () => done((pieces.length === 1 ? pieces[0] : Buffer.concat(pieces))?.toString('utf8') ?? ''));
}
