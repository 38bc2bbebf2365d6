/** Puts lines together from the chunks of a stream, with bounded memory. */
export interface LineReader {
  /** Takes a chunk; `line` gets each line that it ends. False: a line is longer than allowed, and nothing more is read. */
  push(chunk: Buffer): boolean;
}

/** Makes a {@link LineReader}. Each byte is looked at and copied once, however a line is cut into chunks. */
export function createLineReader(maxBytes: number, line: (text: string) => void): LineReader {
  let parts: Buffer[] = [];
  let size = 0;
  const keep = (part: Buffer): boolean => {
    size += part.length;
    if (size <= maxBytes) parts.push(part);
    else parts = [];
    return size <= maxBytes;
  };
  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end !== -1; end = chunk.indexOf(NEWLINE, start)) {
        if (!keep(chunk.subarray(start, end))) return false;
        const text = Buffer.concat(parts).toString('utf8');
        parts = [];
        size = 0;
        start = end + 1;
        line(text);
      }
      return keep(chunk.subarray(start));
    },
  };
}

const NEWLINE = 10;
