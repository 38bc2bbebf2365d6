import { type ImportNames, type ImportText, type Language, unquoted, nounsOf } from '../language.ts';

/** C++ and C, for which the package has no grammar of its own. */
export const cpp: Language = {
  name: 'cpp',
  grammars: Object.fromEntries(
    ['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp', '.hxx'].map((extension) => [extension, 'cpp']),
  ),
  declarations: {
    namespace_definition: { kind: 'n', until: ['body'], members: true },
    class_specifier: { kind: 'c', until: ['body'], members: true },
    struct_specifier: { kind: 's', until: ['body'], members: true },
    union_specifier: { kind: 'u', until: ['body'], members: true },
    enum_specifier: { kind: 'e' },
    type_definition: { kind: 't' },
    alias_declaration: { kind: 't' },
    concept_definition: { kind: 't' },
    function_definition: { kind: 'f', until: ['field_initializer_list', 'body'] },
    declaration: { kind: 'v', until: ['value'], kindBy: { field: 'declarator', kinds: { function_declarator: 'f' } } },
    field_declaration: {
      kind: 'v',
      until: ['default_value'],
      wraps: 'type',
      kindBy: { field: 'declarator', kinds: { function_declarator: 'f' } },
    },
    preproc_def: { kind: 'x', until: ['value'], needs: 'value' },
    preproc_function_def: { kind: 'x', until: ['value'] },
  },
  transparent: [
    'template_declaration',
    'linkage_specification',
    'declaration_list',
    'preproc_if',
    'preproc_ifdef',
    'preproc_elif',
    'preproc_else',
  ],
  imports: { preproc_include: fromInclude },
  noun: nounsOf('namespace|class|struct|union|enum class|enum struct|enum|typedef|using|concept|# ?define'),
  lineComment: '//',
  endings: [''],
  implicit: true,
};

function fromInclude({ field }: ImportText): ImportNames | undefined {
  const path = field('path');
  if (path === undefined) return undefined;
  const name = unquoted(path);
  return { shown: [path], links: [path.startsWith('"') ? [`./${name}`, name] : [name]] };
}
