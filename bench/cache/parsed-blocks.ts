import { readSymbols } from '../../src/symbols/file-symbols.ts';
import { createGrammars } from '../../src/symbols/grammars.ts';
import { languageOf } from '../../src/symbols/languages.ts';

/** Makes the symbol blocks that the index makes of files; "" for one that it does not read. */
export function createParsedBlocks(): (path: string, text: string) => Promise<string> {
  const grammars = createGrammars();
  return async (path, text) => {
    const found = languageOf(path);
    if (!found) return '';
    return readSymbols({ path, text, language: found.language }, await grammars(found.grammar)).block;
  };
}
