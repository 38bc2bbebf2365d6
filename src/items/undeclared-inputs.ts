import type { DeclaredInput } from '../core/item.ts';
import { findRefs } from './input-refs.ts';
import { createLineCounter } from './line-counter.ts';
import { type Reading, warn } from './reading.ts';

/** A part of a file that is filled in, and the line it begins on. */
export type FilledText = { readonly text: string; readonly line: number };

/**
 * Remarks on each `{input:name}` of a directive file that no `<input>` declares, where it stands first: unless the caller
 * happens to give it, it stays in the text. With something to fall back on a reference says itself what becomes of it.
 */
export function warnUndeclared(texts: readonly FilledText[], inputs: readonly DeclaredInput[], reading: Reading): void {
  const known = new Set(inputs.map(({ name }) => name));
  for (const { text, line } of texts) {
    let lineAt: ((offset: number) => number) | undefined;
    for (const { kind, name, otherwise, open } of findRefs(text)) {
      if (kind !== 'input' || otherwise !== undefined || known.has(name)) continue;
      known.add(name);
      lineAt ??= createLineCounter(text, line);
      warn(reading, lineAt(open), `{input:${name}} refers to an input that is not declared`);
    }
  }
}
