/** Puts lines together from the chunks of a stream, with bounded memory. */
export interface LineReader {
  /** Takes a chunk; `line` gets each line that it ends. False: a line is longer than allowed, and nothing more is read. */
  push(chunk: Buffer): boolean;
}

/** Makes a {@link LineReader}. Each byte is looked at and copied once, however a line is cut into chunks. */
export function createLineReader(maxBytes: number, line: (text: string) => void): LineReader {
  let parts: Buffer[] = [];
  let size = 0;
  let isOver = false;
  const keep = (part: Buffer): boolean => {
    size += part.length;
    if (size > maxBytes) isOver = true;
    else parts.push(part);
    return !isOver;
  };
  return {
    push(chunk) {
      let start = 0;
      for (let end = chunk.indexOf(10); end !== -1 && !isOver; end = chunk.indexOf(10, start)) {
        if (!keep(chunk.subarray(start, end))) break;
        const text = Buffer.concat(parts).toString('utf8');
        parts = [];
        size = 0;
        start = end + 1;
        line(text);
      }
      if (!isOver && start < chunk.length) keep(chunk.subarray(start));
      if (isOver) parts = [];
      return !isOver;
    },
  };
}
