import type { Extractor, Extractors, FileType, SpaceExtractors } from '../config/extractors.ts';
import { SkeinError } from '../core/errors.ts';
import type { ItemKind, SpaceName } from '../core/item.ts';
import { type FieldReading, readFields } from './item-fields.ts';
import type { ParsedItem, ParsedOf } from './parsed-item.ts';
import { parseDirectiveFile } from './parsers/directive-parser.ts';
import { parseKnowledgeFile } from './parsers/knowledge-parser.ts';
import type { Parsed, ParserInput } from './parsers/parser.ts';
import { parsePromptyFile } from './parsers/prompty-parser.ts';
import { parseTool } from './parsers/tool-parser.ts';
import type { FoundItem, ReadItem } from './spaces.ts';

/** Knows from the extractors which files of a space are items, and how each is read. */
export type ParserRouter = {
  /** The extensions of a kind's files in a space, in the order in which they win; without a space those of the project. */
  readonly extensionsOf: (kind: ItemKind, space?: SpaceName) => readonly string[];
  /**
   * Reads an item with all its fields, as the extractors of its space say.
   *
   * @throws SkeinError `invalid_item` with file, line and reason, or `item_too_large`
   */
  parse<Kind extends ItemKind>(item: ReadItem & { readonly kind: Kind }): ParsedOf<Kind>;
};

/** Makes a router for these extractors. */
export function createParserRouter({ project, user, system }: SpaceExtractors): ParserRouter {
  const routes = { project: routesOf(project), user: routesOf(user), system: routesOf(system) };
  return {
    extensionsOf: (kind, space = 'project') => routes[space][kind].extensions,
    // Each kind is parsed to an item of that kind.
    parse: <Kind extends ItemKind>(item: ReadItem & { readonly kind: Kind }) =>
      parseItem(item, routes[item.space][item.kind]) as ParsedOf<Kind>,
  };
}

type Route = {
  readonly extractor: Extractor;
  readonly extensions: readonly string[];
  readonly fileTypes: ReadonlyMap<string, FileType>;
  /** The first part of every field's path. */
  readonly known: ReadonlySet<string>;
};

function routesOf({ directive, tool, knowledge }: Extractors): Readonly<Record<ItemKind, Route>> {
  return { directive: routeOf(directive), tool: routeOf(tool), knowledge: routeOf(knowledge) };
}

function routeOf(extractor: Extractor): Route {
  return {
    extractor,
    extensions: extractor.files.map(({ id }) => id),
    fileTypes: new Map(extractor.files.map((fileType) => [fileType.id, fileType])),
    known: new Set(extractor.fields.map(({ path }) => path.split('.', 1)[0] ?? path)),
  };
}

function parseItem(item: ReadItem, route: Route): ParsedItem {
  const fileType = route.fileTypes.get(item.extension);
  if (fileType === undefined) {
    const { kind, space, extension } = item;
    const message = `Files with the extension "${extension}" are no ${kind} of the ${space} space; ${route.extensions.join(', ')} are`;
    throw new SkeinError('invalid_item', message, { where: { file: item.stamp.file } });
  }
  const input: ParserInput = { item, fileType, known: route.known };
  switch (item.kind) {
    case 'directive': {
      const parsed = fileType.parser === 'prompty' ? parsePromptyFile(input) : parseDirectiveFile(input);
      const parts = toParts(item, parsed, route);
      // What is wrong with its fields belongs to what a thread is told about its directive.
      return { ...parts, kind: 'directive', value: { ...parsed.value, warnings: parts.warnings } };
    }
    case 'tool': {
      const parsed = parseTool(input);
      return { ...toParts(item, parsed, route), kind: 'tool', value: parsed.value };
    }
    case 'knowledge': {
      const parsed = parseKnowledgeFile(input);
      return { ...toParts(item, parsed, route), kind: 'knowledge', value: parsed.value };
    }
  }
}

type Parts = Omit<ParsedItem, 'kind' | 'value'>;

function toParts(item: FoundItem, { data, text, warnings, declared }: Parsed<unknown>, route: Route): Parts {
  const reading = readFields(data, route.extractor, item.extension);
  const { fields } = reading;
  const segments = item.id.split('/');
  const name = textOf(fields, 'name') || (segments.at(-1) ?? item.id);
  return {
    id: item.id,
    name,
    title: textOf(fields, 'title') || name,
    description: textOf(fields, 'description'),
    category: textOf(fields, 'category') || segments.slice(0, -1).join('/'),
    tags: tagsOf(fields),
    version: textOf(fields, 'version'),
    space: item.space,
    file: item.stamp.file,
    extension: item.extension,
    fields,
    data,
    text,
    warnings: [...item.warnings, ...warnings, ...warningsOf(reading, declared)],
    declared,
  };
}

function warningsOf({ fields, problems }: FieldReading, declared: boolean): readonly string[] {
  if (!declared) return [];
  const { tags } = fields;
  const lost = Array.isArray(tags) ? tags.filter((tag: unknown) => !isTag(tag)).length : 0;
  const remarks = problems.map(({ field, problem }) => `the field "${field}": ${problem}`);
  return lost === 0 ? remarks : [...remarks, `the field "tags": entries that are no text, and are ignored: ${lost}`];
}

function isTag(tag: unknown): tag is string | number {
  return typeof tag === 'string' || typeof tag === 'number';
}

function textOf(fields: FieldReading['fields'], id: string): string {
  const value = fields[id];
  return typeof value === 'string' ? value.trim() : '';
}

function tagsOf({ tags }: FieldReading['fields']): readonly string[] {
  if (!Array.isArray(tags)) return [];
  const texts = tags.flatMap((tag: unknown) => (isTag(tag) ? [String(tag).trim()] : []));
  return [...new Set(texts)].filter((tag) => tag !== '');
}
