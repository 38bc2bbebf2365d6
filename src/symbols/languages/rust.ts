import { basename, dirname } from 'node:path/posix';
import { type FileLink, type ImportNames, type ImportText, type Language, nounOf } from '../language.ts';

/** Rust. */
export const rust: Language = {
  name: 'rust',
  grammars: { '.rs': 'rust' },
  declarations: {
    struct_item: { kind: 's', noun: nounOf('struct'), until: ['field_declaration_list'], members: true },
    union_item: { kind: 'u', noun: nounOf('union'), until: ['body'], members: true },
    enum_item: { kind: 'e', noun: nounOf('enum') },
    trait_item: { kind: 'i', noun: nounOf('trait'), until: ['body'], members: true },
    impl_item: { kind: 'b', noun: nounOf('impl'), until: ['body'], members: true },
    mod_item: { kind: 'n', noun: nounOf('mod'), until: ['body'], members: true },
    function_item: { kind: 'f', noun: nounOf('fn'), until: ['body'] },
    function_signature_item: { kind: 'f', noun: nounOf('fn') },
    field_declaration: { kind: 'p' },
    const_item: { kind: 'v', noun: nounOf('const'), until: ['value'] },
    static_item: { kind: 'v', noun: nounOf('static'), until: ['value'] },
    type_item: { kind: 't', noun: nounOf('type') },
    associated_type: { kind: 't', noun: nounOf('type') },
    macro_definition: { kind: 'x', noun: nounOf('macro_rules!'), until: ['macro_rule'] },
  },
  transparent: ['foreign_mod_item', 'declaration_list'],
  imports: { use_declaration: fromUse, mod_item: fromMod },
  lineComment: '//',
  endings: ['.rs', '/mod.rs'],
  implicit: true,
};

/** Segments of a path that are looked at: each prefix of them may be the file. */
const MAX_SEGMENTS = 16;

/** `use` names an item or a module: what is longest and a file is meant. */
function fromUse({ field }: ImportText): ImportNames | undefined {
  const shown = field('argument')?.replace(/\s+/g, ' ');
  if (shown === undefined) return undefined;
  const head = shown.split(/[{*]| as /)[0] ?? '';
  const path = head.split('::').filter((name) => /^\w+$/.test(name) && name !== 'crate' && name !== 'self');
  const names = path.slice(0, MAX_SEGMENTS);
  const ways = names.map((_, at) => names.slice(0, names.length - at).join('/'));
  return { shown: [shown], links: names.includes('super') ? [] : [ways] };
}

/** The module of a file lies beside it if it is the root of a folder, else in the folder of its name. */
function fromMod({ text, field, path }: ImportText): ImportNames | undefined {
  const name = field('name');
  if (name === undefined || !text.endsWith(';')) return undefined;
  const own = basename(path, '.rs');
  const folder: FileLink = [`./${own}/${name}`, `./${name}`];
  const isRoot = ['mod', 'lib', 'main'].includes(own) || dirname(path) === '.';
  return { shown: [], links: [isRoot ? folder.toReversed() : folder] };
}
