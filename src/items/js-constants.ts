import { stripTypeScriptTypes } from 'node:module';
import { type Expression, parse, type Program, type VariableDeclarator } from 'acorn';
import { type Constant, type Constants, CONTRACT_NAMES } from './constants.ts';
import { readJsLiteral } from './js-literal.ts';

/** The contract constants of a JavaScript module, or why the file can't be parsed. */
export type JsReading =
  | { readonly ok: true; readonly constants: Constants; readonly unexported: readonly string[] }
  | { readonly ok: false; readonly reason: string; readonly line: number | undefined };

/** Reads the exported contract constants of an ES module without running it. Types are taken out of TypeScript first. */
export function readJsConstants(source: string, language: 'javascript' | 'typescript'): JsReading {
  try {
    return { ok: true, ...collect(parseModule(language === 'typescript' ? stripTypeScriptTypes(source) : source)) };
  } catch (error) {
    return { ok: false, reason: firstLine(error), line: lineOf(error) };
  }
}

function parseModule(source: string): Program {
  return parse(source, { ecmaVersion: 'latest', sourceType: 'module', allowHashBang: true, locations: true });
}

function collect(program: Program): { constants: Constants; unexported: readonly string[] } {
  const declared = new Map<string, VariableDeclarator>();
  const exported = new Map<string, string>();
  for (const statement of program.body) {
    const isExport = statement.type === 'ExportNamedDeclaration';
    const declaration = isExport ? statement.declaration : statement;
    if (declaration?.type === 'VariableDeclaration') {
      for (const declarator of declaration.declarations) {
        if (declarator.id.type !== 'Identifier' || !CONTRACT_NAMES.has(declarator.id.name)) continue;
        declared.set(declarator.id.name, declarator);
        if (isExport) exported.set(declarator.id.name, declarator.id.name);
      }
    }
    if (!isExport || statement.source) continue;
    for (const { local, exported: as } of statement.specifiers) {
      if (local.type === 'Identifier' && as.type === 'Identifier') exported.set(as.name, local.name);
    }
  }
  return { constants: toConstants(declared, exported), unexported: unexportedNames(declared, exported) };
}

function toConstants(
  declared: ReadonlyMap<string, VariableDeclarator>,
  exported: ReadonlyMap<string, string>,
): Constants {
  const entries = [...exported].flatMap(([name, local]): [string, Constant][] => {
    const declarator = declared.get(local);
    return CONTRACT_NAMES.has(name) && declarator !== undefined ? [[name, toConstant(declarator)]] : [];
  });
  return new Map(entries);
}

function toConstant({ init, loc }: VariableDeclarator): Constant {
  const line = loc?.start.line ?? 1;
  if (!init) return { ok: false, reason: 'it has no value', line };
  return readJsLiteral(init satisfies Expression, line);
}

function unexportedNames(
  declared: ReadonlyMap<string, VariableDeclarator>,
  exported: ReadonlyMap<string, string>,
): readonly string[] {
  const locals = new Set(exported.values());
  return [...declared.keys()].filter((name) => !locals.has(name));
}

function firstLine(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n', 1)[0] ?? '';
}

/** acorn's syntax errors carry a `loc`. */
function lineOf(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('loc' in error)) return undefined;
  const { loc } = error;
  if (typeof loc !== 'object' || loc === null || !('line' in loc)) return undefined;
  return typeof loc.line === 'number' ? loc.line : undefined;
}
