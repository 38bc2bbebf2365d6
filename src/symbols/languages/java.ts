import { type ImportNames, type ImportText, type Language, nounsOf } from '../language.ts';

/** Java. A class uses the others of its package without an import. */
export const java: Language = {
  name: 'java',
  grammars: { '.java': 'java' },
  declarations: {
    package_declaration: { kind: 'n' },
    class_declaration: { kind: 'c', until: ['body'], members: true },
    interface_declaration: { kind: 'i', until: ['body'], members: true },
    annotation_type_declaration: { kind: 'i', until: ['body'], members: true },
    record_declaration: { kind: 'c', until: ['body'], members: true },
    enum_declaration: { kind: 'e' },
    method_declaration: { kind: 'm', until: ['body'] },
    constructor_declaration: { kind: 'm', until: ['body'] },
    annotation_type_element_declaration: { kind: 'm' },
    field_declaration: { kind: 'p', until: ['value'] },
    constant_declaration: { kind: 'p', until: ['value'] },
  },
  transparent: [],
  imports: { import_declaration: fromImport },
  noun: nounsOf('package|class|interface|@interface|enum|record'),
  lineComment: '//',
  endings: ['.java'],
  implicit: true,
};

const IMPORT = /^import\s+(static\s+)?([\w.]+?)(\.\*)?\s*;?$/;

/** A static import names a member of the class that is meant. */
function fromImport({ text }: ImportText): ImportNames | undefined {
  const [, , name, all = ''] = IMPORT.exec(text) ?? [];
  if (name === undefined) return undefined;
  const way = name.replaceAll('.', '/');
  return { shown: [name + all], links: [[way, way.slice(0, Math.max(0, way.lastIndexOf('/')))]] };
}
