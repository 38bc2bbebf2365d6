import { closeSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { SkeinError } from '../core/errors.ts';
import { jsonOrUndefined } from '../core/json-or-undefined.ts';
import { createLineSplitter } from '../core/line-splitter.ts';
import { entrySchema, type RecordedExchange } from './recording-entry.ts';

/**
 * The exchanges of a recording, a folder or one file of it, in the order in which they were begun: by the stopwatch if all have its
 * time. A last line that is not whole is left out: whoever recorded was killed then.
 *
 * @throws SkeinError `invalid_argument` with file and line for what is no recording
 */
export function readRecording(path: string): readonly RecordedExchange[] {
  const files = isFolder(path) ? filesIn(path) : [path];
  const exchanges = files.flatMap(readFile);
  const isTimed = exchanges.every(({ begun }) => begun !== undefined);
  const timeOf = ({ at, begun = at }: RecordedExchange): number => (isTimed ? begun : at);
  return exchanges.toSorted((a, b) => timeOf(a) - timeOf(b));
}

function isFolder(path: string): boolean {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat) return stat.isDirectory();
  throw new SkeinError('invalid_argument', 'There is no such recording', { where: { file: path } });
}

function filesIn(folder: string): readonly string[] {
  const names = readdirSync(folder).filter((name) => name.endsWith('.jsonl'));
  if (names.length > 0) return names.toSorted().map((name) => join(folder, name));
  throw new SkeinError('invalid_argument', 'The folder has no recording (*.jsonl)', { where: { file: folder } });
}

function readFile(file: string): readonly RecordedExchange[] {
  const exchanges: RecordedExchange[] = [];
  for (const text of linesOf(file)) exchanges.push(readLine(text, { file, line: exchanges.length + 1 }));
  return exchanges;
}

const PIECE_BYTES = 1024 * 1024;

/**
 * The lines of a file, the last one also without its end if it is whole: editors take it. It is read in pieces: a recording
 * may be longer than a text can be.
 */
export function* linesOf(file: string, pieceBytes: number = PIECE_BYTES): Generator<string> {
  const splitter = createLineSplitter(Number.POSITIVE_INFINITY);
  const opened = openSync(file, 'r');
  try {
    for (;;) {
      // A new one each time: the splitter keeps the beginning of a line.
      const piece = Buffer.allocUnsafe(pieceBytes);
      const size = readSync(opened, piece);
      if (size === 0) break;
      yield* splitter.push(piece.subarray(0, size)) ?? [];
    }
    const [rest = ''] = splitter.push(Buffer.from('\n')) ?? [];
    if (jsonOrUndefined(rest) !== undefined) yield rest;
  } finally {
    closeSync(opened);
  }
}

function readLine(line: string, where: { readonly file: string; readonly line: number }): RecordedExchange {
  try {
    return entrySchema.parse(JSON.parse(line));
  } catch (cause) {
    throw new SkeinError('invalid_argument', 'The line is not one of a recording', { where, cause });
  }
}
