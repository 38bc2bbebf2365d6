import { createRequire } from 'node:module';
import { Language, Parser } from 'web-tree-sitter';

/** Parsers by grammar, each loaded when it is first asked for and used again. */
export type Grammars = (grammar: string) => Promise<Parser>;

/** Opens the grammars of `@vscode/tree-sitter-wasm`. One for each thread: WebAssembly's memory belongs to it. */
export function createGrammars(): Grammars {
  const parsers = new Map<string, Promise<Parser>>();
  return (grammar) => {
    const parser = parsers.get(grammar) ?? loadParser(grammar);
    parsers.set(grammar, parser);
    return parser;
  };
}

const { resolve } = createRequire(import.meta.url);

async function loadParser(grammar: string): Promise<Parser> {
  await Parser.init();
  const language = await Language.load(resolve(`@vscode/tree-sitter-wasm/wasm/tree-sitter-${grammar}.wasm`));
  return new Parser().setLanguage(language);
}
