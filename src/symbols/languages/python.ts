import { type FileLink, type ImportNames, type ImportText, type Language, nounOf } from '../language.ts';

const NAME = '[\\p{L}\\p{N}_]+';
/** A name, or several that get one each. */
const TARGET = `^[([]?\\s*\\*?${NAME}(?:\\s*,\\s*\\*?${NAME})*(?:\\s*,)?\\s*[)\\]]?$`;

/** Python 3, and its stub files. */
export const python: Language = {
  name: 'python',
  grammars: { '.py': 'python', '.pyi': 'python' },
  declarations: {
    class_definition: { kind: 'c', noun: nounOf('class'), until: ['body'], members: true },
    function_definition: { kind: 'f', noun: nounOf('def'), until: ['body'] },
    assignment: { kind: 'v', until: ['right'], chained: 'right', name: { field: 'left', only: TARGET } },
    type_alias_statement: { kind: 't', noun: nounOf('type') },
  },
  transparent: [
    'decorated_definition',
    'expression_statement',
    'if_statement',
    'elif_clause',
    'else_clause',
    'try_statement',
    'except_clause',
    'finally_clause',
    'with_statement',
    'for_statement',
    'while_statement',
    'match_statement',
    'case_clause',
    'block',
  ],
  imports: { import_statement: fromImport, import_from_statement: fromModule },
  lineComment: '#',
  endings: ['.py', '/__init__.py', '.pyi'],
};

function fromImport({ text }: ImportText): ImportNames {
  const shown = namesOf(text.replace(/^import\s+/, ''));
  return { shown, links: shown.map((name) => [name.replaceAll('.', '/')]) };
}

/** Around dots there may be no space. */
const FROM = /^from[\s\\]*(\.+(?=[\s\\]*import\b)|[^\s\\]+(?=[\s\\]))[\s\\]*import\b/;

/** What is imported from a package may be a module of it. */
function fromModule({ text }: ImportText): ImportNames | undefined {
  const found = FROM.exec(text);
  if (found?.[1] === undefined) return undefined;
  const place = placeOf(found[1]);
  const names = namesOf(text.slice(found[0].length).replace(/#[^\r\n]*|[()]/g, ' '));
  const links = names.map((name): FileLink => (name === '*' ? [place] : [`${place}/${name}`, place]));
  return { shown: [found[1]], links };
}

function namesOf(list: string): string[] {
  return list.split(',').flatMap((part) => /[\p{L}\p{N}_.*]+/u.exec(part)?.[0] ?? []);
}

/** `..a.b` starts in the folder above. */
function placeOf(module: string): string {
  const dots = /^\.*/.exec(module)?.[0].length ?? 0;
  const names = module.slice(dots).replaceAll('.', '/');
  if (dots === 0) return names;
  const start = dots === 1 ? '.' : Array.from({ length: dots - 1 }, () => '..').join('/');
  return names === '' ? start : `${start}/${names}`;
}
