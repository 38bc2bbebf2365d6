import { SkeinError } from '../../core/errors.ts';
import { lineAt } from '../line-counter.ts';
import { type LineForm, commentSyntax } from './line-form.ts';
import { type FoundSignature, hashOf } from './found-signature.ts';
import { findSignatureLines, linesWith, type SignatureLine } from './signature-lines.ts';
import { parseMark } from './signature-mark.ts';
import { signingPlace } from './signing-place.ts';

/**
 * Finds the signature in a comment. It covers every byte of the text but its own line. A text has one signature line or
 * none: with two it would be open which of them covers what.
 */
export function findInComments(text: string, form: LineForm): FoundSignature {
  const [first, second] = findSignatureLines(text, form, 2);
  if (first === undefined) return { kind: 'none' };
  if (second !== undefined) {
    return { kind: 'broken', reason: 'there is more than one signature line', line: lineAt(text, second.start) };
  }
  const line = lineAt(text, first.start);
  const mark = first.mark === undefined ? undefined : parseMark(first.mark);
  if (mark === undefined) return { kind: 'broken', reason: describeFault(first, form), line };
  return { kind: 'found', mark, line, hash: hashOf(text.slice(0, first.start), text.slice(first.end)) };
}

function describeFault({ text }: SignatureLine, form: LineForm): string {
  return commentSyntax(form).opens.test(text)
    ? 'the signature line is not well formed'
    : 'the signature does not stand in a comment line of its own';
}

/**
 * Signs a text in a comment line, which replaces all signature lines it has, and `rye:unsigned` lines. Everything else
 * stays as it is, line ends included.
 *
 * @throws SkeinError `invalid_item` with the line of a signature that is no comment line of its own
 */
export function signInComment(text: string, form: LineForm, markFor: (hash: string) => string): string {
  refuseIrreplaceable(text, form);
  const bare = dropSignatures(text, form);
  const { before, after } = signingPlace(bare, form);
  const lineEnd = firstLineEnd(bare) ?? firstLineEnd(text) ?? '\n';
  const start = /(?:^\uFEFF?|\n)$/.test(before) ? before : before + lineEnd;
  return start + commentSyntax(form).write(markFor(hashOf(start, after))) + lineEnd + after;
}

function firstLineEnd(text: string): string | undefined {
  return /\r?\n/.exec(text)?.[0];
}

function refuseIrreplaceable(text: string, form: LineForm): void {
  const { replaceable } = commentSyntax(form);
  const lines = findSignatureLines(text, form, Number.MAX_SAFE_INTEGER);
  const irreplaceable = lines.find((line) => !replaceable.test(line.text));
  if (irreplaceable === undefined) return;
  const message = "The text can't be signed: it has a signature that is no comment line of its own; remove it";
  throw new SkeinError('invalid_item', message, { where: { line: lineAt(text, irreplaceable.start) } });
}

function dropSignatures(text: string, form: LineForm): string {
  const { replaceable } = commentSyntax(form);
  const kept: string[] = [];
  let from = 0;
  for (const line of linesWith(text, 'rye:', form)) {
    if (!replaceable.test(line.text)) continue;
    kept.push(text.slice(from, line.start));
    from = line.end;
  }
  return kept.join('') + text.slice(from);
}
