import { type ImportText, type ImportNames, type Language, unquoted, nounOf } from '../language.ts';

/** Go. A file uses what its package declares without naming the file. */
export const go: Language = {
  name: 'go',
  grammars: { '.go': 'go' },
  declarations: {
    type_spec: {
      kind: 't',
      until: ['field_declaration_list', 'method_elem', 'type_elem'],
      members: true,
      kindBy: { field: 'type', kinds: { struct_type: 's', interface_type: 'i' } },
    },
    type_alias: { kind: 't' },
    field_declaration: { kind: 'p', until: ['tag'] },
    method_elem: { kind: 'm' },
    type_elem: { kind: 't' },
    function_declaration: { kind: 'f', noun: nounOf('func'), until: ['body'] },
    method_declaration: { kind: 'm', noun: nounOf('func'), until: ['body'] },
    const_spec: { kind: 'v', until: ['value'] },
    var_spec: { kind: 'v', until: ['value'] },
  },
  transparent: [
    'type_declaration',
    'const_declaration',
    'var_declaration',
    'var_spec_list',
    'import_declaration',
    'import_spec_list',
  ],
  imports: { import_spec: fromSpec },
  lineComment: '//',
  endings: ['.go'],
  implicit: true,
};

/** An import names a folder, and the names that are used say which of its files. */
function fromSpec({ field }: ImportText): ImportNames | undefined {
  const path = field('path');
  return path === undefined ? undefined : { shown: [unquoted(path)], links: [] };
}
