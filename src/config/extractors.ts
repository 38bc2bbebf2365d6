import * as z from 'zod';
import { SkeinError } from '../core/errors.ts';
import { ITEM_KINDS, type ItemKind, type SpaceName } from '../core/item.ts';
import { FIELD_TYPES, isOfType } from './field-type.ts';
import type { Document } from './merge.ts';
import { parseSection, schemaVersion, section } from './section.ts';

/** The parsers there are: the kind of item each one makes, and the comment that holds a signature in its files. */
const PARSERS = {
  markdown_xml: { kind: 'directive', comment: 'html' },
  prompty: { kind: 'directive', comment: 'html' },
  markdown_frontmatter: { kind: 'knowledge', comment: 'html' },
  yaml: { kind: 'tool', comment: '#' },
  json: { kind: 'tool', comment: 'json' },
  static_python: { kind: 'tool', comment: '#' },
  static_js: { kind: 'tool', comment: '//' },
  static_bash: { kind: 'tool', comment: '#' },
} as const;

/** Name of a parser. */
export type ParserName = keyof typeof PARSERS;

/** How a file type writes a comment; `html` is `<!-- -->`, `json` the key `_signature`. */
export type CommentForm = (typeof PARSERS)[ParserName]['comment'];

// The keys of the table, which is a constant.
const parserName = z.enum(Object.keys(PARSERS) as [ParserName, ...ParserName[]]);

const itemId = z.string().regex(/^(?!.*(?:^|\/)\.{1,2}(?:\/|$))[\w.-]+(?:\/[\w.-]+)*$/, 'an item id');

const fileType = section({
  /** The extension with its dot. */
  id: z.string().regex(/^\.[a-z0-9]{1,16}$/, 'an extension such as .md, in lower case'),
  parser: parserName,
  comment: z.enum(['html', '#', '//', 'json']),
  /** The runtime of tools that name none. */
  executor: itemId.optional(),
});

const scalar = z.union([z.string(), z.number(), z.boolean()]);

const field = section({
  id: z.string().regex(/^[a-z][a-z0-9_]*$/, 'field ids are snake_case words'),
  /** Where the parser found the value: keys joined by dots. */
  path: z.string().regex(/^(?!.*(?:^|\.)__proto__(?:\.|$))[\w-]+(?:\.[\w-]+)*$/, 'keys joined by dots'),
  type: z.enum(FIELD_TYPES),
  required: z.boolean().default(false),
  enum: z.array(scalar).min(1).readonly().optional(),
  default: z.unknown().optional(),
  /** Share in a search; fields without one, or with 0, are not searched. */
  weight: z.number().min(0).max(100).optional(),
  description: z.string().optional(),
});

const extractorSchema = section({
  schema_version: schemaVersion,
  item_type: z.enum(ITEM_KINDS),
  files: z.array(fileType).min(1).readonly(),
  fields: z.array(field).readonly(),
});

/** What files of one kind there are and which fields are read from them. */
export type Extractor = z.output<typeof extractorSchema>;
/** A file type of an {@link Extractor}; `id` is the extension. */
export type FileType = Extractor['files'][number];
/** A field of an {@link Extractor}. */
export type FieldSpec = Extractor['fields'][number];

/** The extractors of all kinds. */
export type Extractors = Readonly<Record<ItemKind, Extractor>>;

/** The extractors that the items of each space are read by: a project's own say nothing about the items of the others. */
export type SpaceExtractors = Readonly<Record<SpaceName, Extractors>>;

/** Parses the extractor of a kind. */
export function parseExtractor(kind: ItemKind, document: Document, file: string): Extractor {
  const extractor = parseSection(extractorSchema, document, file);
  const refuse = (path: string, message: string): never => {
    throw new SkeinError('invalid_config', message, { where: { file, path } });
  };
  if (extractor.itemType !== kind) refuse('item_type', `"${extractor.itemType}"; "${kind}" belongs here`);
  for (const entry of extractor.files) {
    const problem = faultOfFile(kind, entry);
    if (problem) refuse(`files[${entry.id}].${problem.key}`, problem.message);
  }
  for (const entry of extractor.fields) {
    const problem = faultOfField(entry);
    if (problem) refuse(`fields[${entry.id}].${problem.key}`, problem.message);
  }
  return extractor;
}

type Fault = { readonly key: string; readonly message: string };

function faultOfFile(kind: ItemKind, { parser, comment, executor }: FileType): Fault | undefined {
  const made = PARSERS[parser];
  if (made.kind !== kind) {
    const fitting = Object.entries(PARSERS).flatMap(([name, other]) => (other.kind === kind ? [name] : []));
    return { key: 'parser', message: `"${parser}" makes no ${kind}; allowed: ${fitting.join(', ')}` };
  }
  if (made.comment !== comment) {
    return { key: 'comment', message: `files of the parser "${parser}" have comments of the form "${made.comment}"` };
  }
  if (executor !== undefined && kind !== 'tool') return { key: 'executor', message: 'only tools have one' };
  return undefined;
}

function faultOfField(spec: FieldSpec): Fault | undefined {
  const { type, default: fallback } = spec;
  const wrong = spec.enum?.find((value) => !isOfType(value, type));
  if (wrong !== undefined) return { key: 'enum', message: `${JSON.stringify(wrong)} is no ${type}` };
  if (fallback === undefined) return undefined;
  if (!isOfType(fallback, type)) return { key: 'default', message: `${JSON.stringify(fallback)} is no ${type}` };
  // Of the field's type, which the enum is too: an object or list is in no enum.
  if (spec.enum && !spec.enum.some((value) => value === fallback)) {
    return { key: 'default', message: `${JSON.stringify(fallback)} is not in the enum` };
  }
  return undefined;
}
