import { cutText } from '../core/cut-text.ts';
import { SkeinError } from '../core/errors.ts';
import { visibleText } from '../core/visible-text.ts';

/** The item file being read: what errors name, and where remarks about ignored parts are collected. */
export type Reading = {
  readonly id: string;
  /** Path shown to a person; not opened here. */
  readonly file: string;
  readonly remarks: Remark[];
};

/** Something that is ignored; `line` is counted from 1 in the whole file. */
type Remark = { readonly line: number | undefined; readonly message: string };

/** Starts reading an item. */
export function startReading(at: { readonly id: string; readonly file: string }): Reading {
  return { id: at.id, file: at.file, remarks: [] };
}

/** Remarks kept per item: enough to find every mistake of an honest author. */
const MAX_WARNINGS = 100;

/** Notes something that is ignored; `line` is counted from 1 in the whole file. */
export function warn({ remarks }: Reading, line: number | undefined, message: string): void {
  if (remarks.length <= MAX_WARNINGS) remarks.push({ line, message });
}

/** What was noted, in the order of the file; what has no line comes last. */
export function warningsOf({ remarks }: Reading): readonly string[] {
  const texts = remarks
    .slice(0, MAX_WARNINGS)
    .toSorted((one, other) => (one.line ?? Infinity) - (other.line ?? Infinity) || 0)
    .map(({ line, message }) => visibleText(line === undefined ? message : `line ${line}: ${message}`));
  return remarks.length > MAX_WARNINGS ? [...texts, 'further remarks are left out'] : texts;
}

/** The error for an item that can't be used as it is: file, line and what would be right. */
export function invalidItem(at: { readonly file: string }, line: number | undefined, message: string): SkeinError {
  return new SkeinError('invalid_item', visibleText(message), {
    where: { file: at.file, ...(line !== undefined && { line }) },
  });
}

/** Text from a file as it may stand in a message: one line, at most 60 characters, quoted, nothing in it hidden. */
export function quote(text: string): string {
  return visibleText(JSON.stringify(cutText(text, 60)));
}
