/** Cuts a stream of bytes into lines, with bounded memory. */
export interface LineSplitter {
  /** Lines that are complete with these bytes, without their ends; undefined, now and from then on: one is longer than allowed. */
  push(bytes: Buffer): readonly string[] | undefined;
  /** Whether a line has begun and not ended. */
  isOpen(): boolean;
}

const END = 0x0a;

/** Makes a splitter. Each byte is looked at and copied once, however a line is cut into pieces. */
export function createLineSplitter(maxBytes: number): LineSplitter {
  let begun: Buffer[] = [];
  let size = 0;
  const keep = (piece: Buffer): boolean => {
    size += piece.length;
    if (size > maxBytes) begun = [];
    else if (piece.length > 0) begun.push(piece);
    return size <= maxBytes;
  };
  return {
    push(bytes) {
      const lines: string[] = [];
      let start = 0;
      for (let end = bytes.indexOf(END); end !== -1; end = bytes.indexOf(END, start)) {
        if (!keep(bytes.subarray(start, end))) return undefined;
        lines.push(Buffer.concat(begun).toString('utf8'));
        begun = [];
        size = 0;
        start = end + 1;
      }
      return keep(bytes.subarray(start)) ? lines : undefined;
    },
    isOpen: () => size > 0,
  };
}
