import { extname } from 'node:path/posix';
import type { Language } from './language.ts';
import { cpp } from './languages/cpp.ts';
import { go } from './languages/go.ts';
import { java } from './languages/java.ts';
import { python } from './languages/python.ts';
import { rust } from './languages/rust.ts';
import { typescript } from './languages/typescript.ts';

/** Every language whose symbols are read. */
export const LANGUAGES: readonly Language[] = [typescript, python, go, rust, java, cpp];

const BY_EXTENSION = new Map(
  LANGUAGES.flatMap((language) =>
    Object.entries(language.grammars).map(([extension, grammar]) => [extension, { language, grammar }] as const),
  ),
);

/** The language and grammar of a file, by its extension. */
export function languageOf(path: string): { readonly language: Language; readonly grammar: string } | undefined {
  return BY_EXTENSION.get(extname(path).toLowerCase());
}
