import { type ImportNames, type ImportText, type Language, nounOf } from '../language.ts';

/** Java. A class uses the others of its package without an import. */
export const java: Language = {
  name: 'java',
  grammars: { '.java': 'java' },
  declarations: {
    package_declaration: { kind: 'n', noun: nounOf('package') },
    class_declaration: { kind: 'c', noun: nounOf('class'), until: ['body'], members: true },
    interface_declaration: { kind: 'i', noun: nounOf('interface'), until: ['body'], members: true },
    annotation_type_declaration: { kind: 'i', noun: nounOf('@interface'), until: ['body'], members: true },
    record_declaration: { kind: 'c', noun: nounOf('record'), until: ['body'], members: true },
    enum_declaration: {
      kind: 'e',
      noun: nounOf('enum'),
      without: ['enum_body_declarations', 'class_body'],
      members: true,
    },
    method_declaration: { kind: 'm', until: ['body'] },
    constructor_declaration: { kind: 'm', until: ['body'] },
    compact_constructor_declaration: { kind: 'm', until: ['body'] },
    annotation_type_element_declaration: { kind: 'm' },
    field_declaration: { kind: 'p', values: 'value' },
    constant_declaration: { kind: 'p', values: 'value' },
  },
  transparent: ['enum_body_declarations'],
  imports: { import_declaration: fromImport },
  lineComment: '//',
  endings: ['.java'],
  implicit: true,
};

const IMPORT = /^import\s+(static\s+)?([^\s;*]+?)(\.\*)?\s*;?$/;

/** A static import names a member of the class that is meant. */
function fromImport({ text }: ImportText): ImportNames | undefined {
  const [, , name, all = ''] = IMPORT.exec(text) ?? [];
  if (name === undefined) return undefined;
  const way = name.replaceAll('.', '/');
  return { shown: [name + all], links: [[way, way.slice(0, Math.max(0, way.lastIndexOf('/')))]] };
}
