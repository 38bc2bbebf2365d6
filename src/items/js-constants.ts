import type { Constant, Constants } from './constants.ts';
import { readJsLiteral } from './js-literal.ts';
import { type JsDeclaration, outlineJs } from './js-scan.ts';
import { JsFault } from './js-text.ts';
import { createLineCounter } from './line-counter.ts';

/** The constants of a JavaScript or TypeScript module, or why the file can't be read. */
export type JsReading =
  | { readonly ok: true; readonly constants: Constants; readonly unexported: readonly string[] }
  | { readonly ok: false; readonly reason: string; readonly line: number };

/** Reads the exported constants of these names from an ES module without running it. Linear; never throws. */
export function readJsConstants(source: string, names: ReadonlySet<string>): JsReading {
  const lineAt = createLineCounter(source);
  try {
    const { declarations, exports } = outlineJs(source);
    const local = new Map(declarations.map((declaration) => [declaration.name, declaration]));
    const exported = new Map(declarations.filter((found) => found.exported).map((found) => [found.name, found]));
    for (const [name, of] of exports) {
      const declaration = local.get(of);
      if (declaration !== undefined) exported.set(name, declaration);
    }
    const constants = [...exported]
      .filter(([name]) => names.has(name))
      .map(([name, found]): [string, Constant] => [name, toConstant(found, source, lineAt)]);
    const reached = new Set([...exported.values()].map(({ name }) => name));
    const unexported = [...local.keys()].filter((name) => names.has(name) && !reached.has(name));
    return { ok: true, constants: new Map(constants), unexported };
  } catch (error) {
    if (!(error instanceof JsFault)) throw error;
    return { ok: false, reason: error.message, line: lineAt(error.offset) };
  }
}

function toConstant({ value, offset }: JsDeclaration, source: string, lineAt: (offset: number) => number): Constant {
  return { ...readJsLiteral(source, value, lineAt), line: lineAt(offset) };
}
