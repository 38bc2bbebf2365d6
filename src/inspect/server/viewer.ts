import type { LiveMessage } from '../api.ts';

/** Most that waits to be read by one viewer, bytes: here and in its connection. */
export const MAX_BUFFERED_BYTES = 1_048_576;

/** Messages are handed on in pieces, so that the connection, which takes one more than it has room for, takes little. */
const PIECE_BYTES = 32_768;
/** What the connection holds: Node's own 64 KiB, and the pieces on their way there. */
const CONNECTION_BYTES = 65_536 + 2 * PIECE_BYTES;
const MAX_QUEUED_BYTES = MAX_BUFFERED_BYTES - CONNECTION_BYTES;

/**
 * What a viewer is sent, as server-sent events.
 *
 * Owns: what is not read yet, with its connection at most {@link MAX_BUFFERED_BYTES}. A message that does not fit is dropped and counted; the first
 * one that fits again says how many were.
 */
export interface Viewer {
  readonly body: ReadableStream<Uint8Array>;
  /** True: the next message would be dropped as likely as not, so that there is no use in making one. */
  isFull(): boolean;
  /** Whether there was room for it. */
  send(message: LiveMessage): boolean;
  /** Says nothing, and keeps the connection. */
  ping(): void;
  /** Something may have been missed: nobody has looked whether there was a message to make. */
  skip(): void;
  /** Aborted when the viewer has left. */
  readonly gone: AbortSignal;
  close(): void;
}

/** Fuller than this, a viewer is not worth the work. */
const NEARLY_FULL = 0.75;

/** Makes a viewer; `now` is the time in milliseconds. */
export function createViewer(now: () => number): Viewer {
  const encoder = new TextEncoder();
  const gone = new AbortController();
  let dropped = 0;
  let controller: ReadableStreamDefaultController<Uint8Array> | undefined;
  const body = new ReadableStream<Uint8Array>(
    {
      start(own) {
        controller = own;
      },
      cancel() {
        controller = undefined;
        gone.abort();
      },
    },
    { highWaterMark: MAX_QUEUED_BYTES, size: (chunk) => chunk?.byteLength ?? 0 },
  );
  const free = (): number => controller?.desiredSize ?? 0;
  const write = (text: string): boolean => {
    const bytes = encoder.encode(text);
    if (bytes.byteLength > free()) return false;
    for (let at = 0; at < bytes.byteLength; at += PIECE_BYTES)
      controller?.enqueue(bytes.subarray(at, at + PIECE_BYTES));
    return true;
  };
  const tellDropped = (): void => {
    if (dropped > 0 && write(toText({ type: 'dropped', messages: dropped, at_ms: now() }))) dropped = 0;
  };
  return {
    body,
    gone: gone.signal,
    isFull: () => free() < MAX_QUEUED_BYTES * (1 - NEARLY_FULL),
    send(message) {
      tellDropped();
      // In order: nothing passes what was dropped.
      const isTaken = dropped === 0 && write(toText(message));
      if (!isTaken) dropped++;
      return isTaken;
    },
    ping() {
      tellDropped();
      write(': still here\n\n');
    },
    skip: () => void (dropped ||= 1),
    close() {
      controller?.close();
      controller = undefined;
      gone.abort();
    },
  };
}

function toText(message: LiveMessage): string {
  return `event: ${message.type}\ndata: ${JSON.stringify(message)}\n\n`;
}
