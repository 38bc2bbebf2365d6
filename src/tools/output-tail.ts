/** Keeps the last bytes of a stream: bounded memory however much is printed. */
export interface OutputTail {
  push(chunk: Buffer): void;
  text(): string;
}

/** What is kept of what a process prints. */
export const TAIL_BYTES = 8 * 1024;

/** Makes an {@link OutputTail}. */
export function createOutputTail(maxBytes = TAIL_BYTES): OutputTail {
  const chunks: Buffer[] = [];
  let size = 0;
  let pushed = 0;
  return {
    push(chunk) {
      pushed += chunk.length;
      // A copy, so that a short tail does not hold on to the stream's big read buffer.
      const kept = Buffer.from(chunk.subarray(Math.max(0, chunk.length - maxBytes)));
      chunks.push(kept);
      size += kept.length;
      while (chunks[0] && size - chunks[0].length >= maxBytes) size -= chunks.shift()?.length ?? 0;
    },
    text() {
      const all = Buffer.concat(chunks);
      if (pushed <= maxBytes) return all.toString('utf8');
      let start = all.length - maxBytes;
      // Not in the middle of a character, which has at most three bytes that continue it.
      for (const end = start + 3; start < end && isContinuation(all[start]); start++);
      return all.subarray(start).toString('utf8');
    },
  };
}

function isContinuation(byte = 0): boolean {
  return byte >= 0x80 && byte < 0xc0;
}
