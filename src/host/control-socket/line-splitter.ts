/** Cuts a stream of bytes into lines. */
export interface LineSplitter {
  /** Lines that are complete with these bytes, without their ends; undefined: one is longer than allowed. */
  push(bytes: Buffer): readonly string[] | undefined;
  /** Whether a line has begun and not ended. */
  isOpen(): boolean;
}

const END = 0x0a;

/** Makes a splitter; a piece of a line costs no more than its own bytes, however many there are. */
export function createLineSplitter(maxBytes: number): LineSplitter {
  let begun: Buffer[] = [];
  let size = 0;
  return {
    push(bytes) {
      const lines: string[] = [];
      let start = 0;
      for (let end = bytes.indexOf(END); end !== -1; end = bytes.indexOf(END, start)) {
        if (size + end - start > maxBytes) return undefined;
        lines.push(Buffer.concat([...begun, bytes.subarray(start, end)]).toString('utf8'));
        begun = [];
        size = 0;
        start = end + 1;
      }
      const rest = bytes.subarray(start);
      size += rest.length;
      if (size > maxBytes) return undefined;
      if (rest.length > 0) begun.push(rest);
      return lines;
    },
    isOpen: () => size > 0,
  };
}
