import { type ImportNames, type ImportText, type Language, unquoted, nounOf } from '../language.ts';

/** A conversion, `operator bool()`, has the type where others have their name. */
const FUNCTIONS = {
  field: 'declarator',
  kinds: { function_declarator: 'f', abstract_function_declarator: 'f' },
} as const;

/** C++ and C, for which the package has no grammar of its own. */
export const cpp: Language = {
  name: 'cpp',
  grammars: Object.fromEntries(
    ['.c', '.h', '.cc', '.cpp', '.cxx', '.hh', '.hpp', '.hxx'].map((extension) => [extension, 'cpp']),
  ),
  prepare: withoutMacros,
  declarations: {
    namespace_definition: { kind: 'n', noun: nounOf('namespace'), until: ['body'], members: true },
    class_specifier: { kind: 'c', noun: nounOf('class'), announced: 'body', until: ['body'], members: true },
    struct_specifier: { kind: 's', noun: nounOf('struct'), announced: 'body', until: ['body'], members: true },
    union_specifier: { kind: 'u', noun: nounOf('union'), announced: 'body', until: ['body'], members: true },
    enum_specifier: { kind: 'e', noun: nounOf('enum class|enum struct|enum'), announced: 'body' },
    type_definition: { kind: 't', noun: nounOf('typedef') },
    alias_declaration: { kind: 't', noun: nounOf('using') },
    concept_definition: { kind: 't', noun: nounOf('concept') },
    function_definition: { kind: 'f', until: ['field_initializer_list', 'body'] },
    declaration: { kind: 'v', values: 'value', kindBy: FUNCTIONS },
    field_declaration: {
      kind: 'v',
      values: 'default_value',
      wraps: 'type',
      kindBy: FUNCTIONS,
    },
    preproc_def: { kind: 'x', noun: nounOf('# ?define'), until: ['value'], needs: 'value' },
    preproc_function_def: { kind: 'x', noun: nounOf('# ?define'), until: ['value'] },
  },
  transparent: [
    'template_declaration',
    'linkage_specification',
    'declaration_list',
    'preproc_if',
    'preproc_ifdef',
    'preproc_elif',
    'preproc_elifdef',
    'preproc_else',
  ],
  imports: { preproc_include: fromInclude },
  lineComment: '//',
  endings: [''],
  implicit: true,
};

/**
 * `class API_EXPORT Widget : Base {` is a function to the grammar, and what is in it are statements: macros between the word and
 * the name are written as blanks.
 */
function withoutMacros(text: string): string {
  return text.replace(EXPORTED, (_, word: string, macros: string) => word + macros.replace(/\S/g, ' '));
}

const MACRO = '[A-Za-z_]\\w{0,100}[A-Z](?:\\([^()]{0,100}\\))?\\s{1,100}';
const NAME = '(?!final\\b)[A-Za-z_]\\w{0,200}(?:<[^;{}]{0,300}>)?\\s{0,100}(?:final\\s{0,100})?(?:\\{|:(?!:))';
const EXPORTED = new RegExp(`\\b(class|struct)(\\s{1,100}(?:${MACRO}){1,3})(?=${NAME})`, 'g');

function fromInclude({ field }: ImportText): ImportNames | undefined {
  const path = field('path');
  if (path === undefined) return undefined;
  const name = unquoted(path);
  return { shown: [path], links: [path.startsWith('"') ? [`./${name}`, name] : [name]] };
}
