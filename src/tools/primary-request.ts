import * as z from 'zod';
import { cutText } from '../core/cut-text.ts';
import { fromFailure, SkeinError } from '../core/errors.ts';
import {
  ITEM_KINDS,
  PRIMARY_ACTIONS,
  SPACE_NAMES,
  type ItemKind,
  type PrimaryAction,
  type SpaceName,
} from '../core/item.ts';
import { isRecord, own } from '../core/record.ts';
import { ACTION_ATTRIBUTES } from '../items/action-attributes.ts';
import { isPrimaryAction } from '../items/action.ts';
import { parseItemId } from '../items/item-id.ts';
import { findReserved } from './reserved-keys.ts';
import type { ParamsForm } from './tool-params.ts';

/** An action as it stands in a directive, a hook, or a model's call: nothing about it is known yet. */
export type GivenAction = Readonly<Record<string, unknown>>;

type OnItem = {
  readonly kind: ItemKind;
  readonly id: string;
  /** That space only; undefined: the first of project, user, system that has it. */
  readonly source: SpaceName | undefined;
  readonly dryRun: boolean;
};

/** Where a loaded item is copied to; the system space is never written. */
export type Destination = { readonly space: 'project' | 'user'; readonly overwrite: boolean };

/** Executes an item: `params` are a tool's parameters or a directive's inputs. */
export type ExecuteRequest = OnItem & {
  readonly primary: 'execute';
  readonly params: Readonly<Record<string, unknown>>;
  readonly form: ParamsForm;
};
/** Loads an item, and copies it if a destination is named. */
export type LoadRequest = OnItem & { readonly primary: 'load'; readonly destination: Destination | undefined };
/** Signs an item. */
export type SignRequest = OnItem & { readonly primary: 'sign' };
/** Searches items; without a kind those of every kind. */
export type SearchRequest = {
  readonly primary: 'search';
  readonly kind: ItemKind | undefined;
  readonly query: string;
  readonly source: SpaceName | undefined;
  readonly category: string | undefined;
  readonly tags: readonly string[];
  readonly limit: number;
  readonly dryRun: boolean;
};

/** What an action asks for; a `fetch` has become the `load` or `search` that it means. */
export type PrimaryRequest = ExecuteRequest | LoadRequest | SignRequest | SearchRequest;

/** A request, and what was ignored in the action. */
export type ReadRequest = { readonly request: PrimaryRequest; readonly warnings: readonly string[] };

/**
 * Reads an action (S2 §6.7): attributes at the top level count before `params`, which for `execute` are the item's own.
 * Texts are taken for booleans, numbers and lists of tags, since XML has nothing else; an empty attribute is an absent one.
 *
 * @throws SkeinError `permission_denied` for a reserved name at any depth, `invalid_argument` for what can't be asked,
 * `item_id_refused`
 */
export function readRequest(action: GivenAction): ReadRequest {
  const reserved = findReserved(action);
  if (reserved) throw fromFailure(reserved);
  const primary = readPrimary(action);
  const { params, form } = readParams(action);
  const attributes = attributesOf(action, primary, params);
  return { request: toRequest(primary, attributes, { params, form }), warnings: remarksOn(primary, attributes) };
}

/** What is ignored in an action of a hook, as {@link readRequest} has it; its params need not be filled yet. */
export function ignoredIn({ params, ...action }: GivenAction): readonly string[] {
  const { primary = 'execute' } = action;
  if (typeof primary !== 'string' || !isPrimaryAction(primary)) return [];
  return remarksOn(primary, attributesOf(action, primary, isRecord(params) ? params : {}));
}

function attributesOf(action: GivenAction, primary: PrimaryAction, params: GivenAction): GivenAction {
  return { ...(primary !== 'execute' && given(params)), ...given(action) };
}

function remarksOn(primary: PrimaryAction, attributes: GivenAction): readonly string[] {
  const known: ReadonlySet<string> = new Set([...COMMON, ...ACTION_ATTRIBUTES[primary]]);
  const unknown = Object.keys(attributes).filter((name) => !known.has(name));
  return unknown.map((name) => `the attribute ${quote(name)} of ${primary} is ignored`);
}

/** What every action may say beside its attributes. */
const COMMON = ['primary', 'params', 'parameters'];

function readPrimary(action: GivenAction): PrimaryAction {
  const primary = own(action, 'primary') ?? 'execute';
  if (typeof primary === 'string' && isPrimaryAction(primary)) return primary;
  const known = PRIMARY_ACTIONS.join(', ');
  throw new SkeinError('invalid_argument', `There is no primary action ${quote(primary)}; there are ${known}`);
}

type ReadParams = Pick<ExecuteRequest, 'params' | 'form'>;

/** `parameters` is what the primary tools call `params`: JSON of a model or a client. The other may be XML. */
function readParams(action: GivenAction): ReadParams {
  const written = ['params', 'parameters'].map((name) => own(action, name) ?? {});
  const [params, parameters] = written;
  if (!isRecord(params) || !isRecord(parameters)) {
    throw new SkeinError('invalid_argument', 'The params of an action must be a map of names and values');
  }
  if (Object.keys(params).length > 0 && Object.keys(parameters).length > 0) {
    throw new SkeinError('invalid_argument', 'An action has "params" or "parameters", not both');
  }
  return Object.keys(params).length > 0 ? { params, form: 'xml' } : { params: parameters, form: 'json' };
}

function given(attributes: GivenAction): GivenAction {
  const entries = Object.entries(attributes).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(entries.filter(([, value]) => value !== ''));
}

const text = z.string('must be text');
const flag = z.union([z.boolean(), z.stringbool({ truthy: ['true'], falsy: ['false'] })], 'must be true or false');
const limit = z.union(
  [
    z.int(),
    z
      .string()
      .regex(/^\d{1,4}$/)
      .transform(Number),
  ],
  'must be a whole number',
);
const tags = z.union([z.array(z.string()), z.string().transform((list) => list.split(','))], 'must be a list of texts');
const kind = z.enum(ITEM_KINDS, `must be ${ITEM_KINDS.join(', ')}`);
const source = z.enum(SPACE_NAMES, `must be ${SPACE_NAMES.join(', ')}`).optional();
const dryRun = flag.default(false);

const onItem = { item_type: kind.default('tool'), item_id: z.string('is needed, as text'), source, dry_run: dryRun };
const load = z.object({
  ...onItem,
  destination: z.enum(['project', 'user'], 'must be project or user; the system space is never written').optional(),
  overwrite: flag.default(false),
});
const search = z.object({
  item_type: kind.optional(),
  query: text.default(''),
  source,
  category: text.optional(),
  tags: tags.default([]),
  limit: limit.pipe(z.int().min(1, 'must be at least 1').max(100, 'must be at most 100')).default(10),
  dry_run: dryRun,
});

type Shape<Name extends string> = Readonly<Record<Name, z.ZodType>>;

const ATTRIBUTES = {
  execute: z.object(onItem),
  load,
  sign: z.object(onItem),
  search,
  fetch: z.object({ ...search.shape, ...load.shape, item_type: kind.optional(), item_id: text.optional() }),
} satisfies { readonly [Primary in PrimaryAction]: z.ZodObject<Shape<(typeof ACTION_ATTRIBUTES)[Primary][number]>> };

function toRequest(primary: PrimaryAction, attributes: GivenAction, read: ReadParams): PrimaryRequest {
  switch (primary) {
    case 'execute':
      return { primary, ...itemOf(parse(ATTRIBUTES.execute, attributes)), ...read };
    case 'sign':
      return { primary, ...itemOf(parse(ATTRIBUTES.sign, attributes)) };
    case 'load':
      return toLoad(attributes);
    case 'search':
      return toSearch(attributes);
    case 'fetch':
      return toFetch(attributes);
  }
}

function toLoad(attributes: GivenAction): LoadRequest {
  const read = parse(load, attributes);
  const { destination: space, overwrite } = read;
  return { primary: 'load', ...itemOf(read), destination: space && { space, overwrite } };
}

function toSearch(attributes: GivenAction): SearchRequest {
  const { item_type, query, source, category, tags, limit, dry_run } = parse(search, attributes);
  const named = tags.map((tag) => tag.trim()).filter((tag) => tag !== '');
  return { primary: 'search', kind: item_type, query, source, category, tags: named, limit, dryRun: dry_run };
}

function toFetch(attributes: GivenAction): LoadRequest | SearchRequest {
  const { item_id: id, query } = attributes;
  if ((id === undefined) !== (query === undefined)) return id === undefined ? toSearch(attributes) : toLoad(attributes);
  const problem =
    id === undefined ? 'needs an item_id to load, or a query to search' : 'has an item_id or a query, not both';
  throw new SkeinError('invalid_argument', `fetch ${problem}`);
}

type Attributes = {
  readonly item_type: ItemKind;
  readonly item_id: string;
  readonly source?: SpaceName | undefined;
  readonly dry_run: boolean;
};

function itemOf({ item_type, item_id, source, dry_run }: Attributes): OnItem {
  return { kind: item_type, id: parseItemId(item_id), source, dryRun: dry_run };
}

function parse<Output>(schema: z.ZodType<Output>, attributes: GivenAction): Output {
  const parsed = schema.safeParse(attributes);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => {
    const [name = ''] = path;
    const found = own(attributes, String(name));
    return `${String(name)} ${message}${found === undefined ? '' : `; it is ${quote(found)}`}`;
  });
  throw new SkeinError('invalid_argument', problems.join('; '));
}

function quote(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Array.isArray(value) ? 'a list' : 'a map';
  return cutText(typeof value === 'string' ? JSON.stringify(value) : String(value), 60);
}
