import { type ImportNames, type ImportText, type Language, unquoted, nounOf } from '../language.ts';

/** What is exported without a name. */
const DEFAULT = { within: 'export_statement', name: 'default' };
const FUNCTIONS = { arrow_function: 'f', function_expression: 'f', generator_function: 'f' } as const;

/** TypeScript, TSX and JavaScript with JSX; their grammars name nodes alike. */
export const typescript: Language = {
  name: 'typescript',
  grammars: {
    '.ts': 'typescript',
    '.mts': 'typescript',
    '.cts': 'typescript',
    '.tsx': 'tsx',
    '.js': 'javascript',
    '.mjs': 'javascript',
    '.cjs': 'javascript',
    '.jsx': 'javascript',
  },
  declarations: {
    class_declaration: { kind: 'c', noun: nounOf('class'), until: ['body'], members: true },
    abstract_class_declaration: { kind: 'c', noun: nounOf('class'), until: ['body'], members: true },
    interface_declaration: { kind: 'i', noun: nounOf('interface'), until: ['body'], members: true },
    enum_declaration: { kind: 'e', noun: nounOf('const enum|enum') },
    type_alias_declaration: { kind: 't', noun: nounOf('type') },
    function_declaration: { kind: 'f', noun: nounOf('function'), until: ['body'] },
    generator_function_declaration: { kind: 'f', noun: nounOf('function ?\\*|function'), until: ['body'] },
    class: { kind: 'c', noun: nounOf('class'), until: ['body'], members: true, nameless: DEFAULT },
    function_expression: { kind: 'f', noun: nounOf('function'), until: ['body'], nameless: DEFAULT },
    generator_function: { kind: 'f', noun: nounOf('function ?\\*'), until: ['body'], nameless: DEFAULT },
    arrow_function: { kind: 'f', until: ['body'], nameless: DEFAULT },
    function_signature: { kind: 'f', noun: nounOf('function') },
    method_definition: { kind: 'm', until: ['body'] },
    method_signature: { kind: 'm' },
    abstract_method_signature: { kind: 'm' },
    call_signature: { kind: 'm' },
    construct_signature: { kind: 'm' },
    public_field_definition: { kind: 'p', until: ['value'] },
    field_definition: { kind: 'p', until: ['value'] },
    property_signature: { kind: 'p' },
    index_signature: { kind: 'p' },
    lexical_declaration: { kind: 'v', each: 'variable_declarator' },
    variable_declaration: { kind: 'v', each: 'variable_declarator' },
    variable_declarator: { kind: 'v', until: ['value'], kindBy: { field: 'value', kinds: FUNCTIONS } },
    assignment_expression: {
      kind: 'v',
      until: ['right'],
      chained: 'right',
      kindBy: { field: 'right', kinds: FUNCTIONS },
      name: { field: 'left', only: '^(?:module\\.exports|exports\\.[\\w$]+|[A-Z]\\w*(?:\\.prototype)?\\.\\w+)$' },
    },
    internal_module: { kind: 'n', noun: nounOf('namespace|module'), until: ['body'], members: true },
    module: { kind: 'n', noun: nounOf('namespace|module'), until: ['body'], members: true },
  },
  transparent: ['export_statement', 'ambient_declaration', 'expression_statement', 'import_statement'],
  // Of `declare global`. What stands in other blocks is known in them alone.
  transparentIn: { statement_block: 'ambient_declaration' },
  imports: {
    import_statement: fromSource,
    import_require_clause: fromSource,
    export_statement: fromSource,
    variable_declarator: fromRequire,
  },
  lineComment: '//',
  endings: [
    '',
    '.ts',
    '.tsx',
    '.js',
    '.jsx',
    '.mts',
    '.mjs',
    '.cts',
    '.cjs',
    '.d.ts',
    '/index.ts',
    '/index.tsx',
    '/index.js',
  ],
};

function fromSource({ field }: ImportText): ImportNames | undefined {
  const source = field('source');
  return source === undefined ? undefined : named(unquoted(source));
}

const REQUIRE = /^require\(\s*(['"])([^'"\\]{1,300})\1\s*\)$/;

function fromRequire({ field }: ImportText): ImportNames | undefined {
  const source = REQUIRE.exec(field('value') ?? '')?.[2];
  return source === undefined ? undefined : named(source);
}

/** A source may be imported by the name it has after it is compiled. */
function named(source: string): ImportNames {
  if (!source.startsWith('.')) return { shown: [source], links: [] };
  const [, name = '', module = '', x = ''] = /^(.*)\.([cm]?)js(x?)$/.exec(source) ?? [];
  if (name === '') return { shown: [source], links: [[source]] };
  const endings = module === '' && x === '' ? ['ts', 'tsx'] : [`${module}ts${x}`];
  return { shown: [source], links: [[source, ...endings.map((ending) => `${name}.${ending}`)]] };
}
