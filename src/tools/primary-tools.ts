import { ITEM_KINDS, SPACE_NAMES, type PrimaryAction } from '../core/item.ts';
import type { Tool } from '../core/tool.ts';
import { MAX_QUERY_LENGTH } from '../items/search/query-words.ts';
import type { ToolDispatcher } from './dispatcher.ts';
import { compileInputCheck } from './input-check.ts';
import { primaryToolId } from './primary-offer.ts';
import { resultOutcome } from './primary-outcome.ts';

/**
 * The primary actions as tools for a model (S3 layer 1): `rye/execute`, `rye/search`, `rye/load`, `rye/sign`, `rye/fetch`.
 * Each call is dispatched with the rights of its caller.
 */
export function createPrimaryTools(dispatcher: Pick<ToolDispatcher, 'dispatch'>): readonly Tool[] {
  return DEFINITIONS.map((definition) => createPrimaryTool(definition, dispatcher));
}

type Properties = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

type Definition = {
  readonly primary: PrimaryAction;
  readonly description: string;
  readonly idempotent: boolean;
  readonly properties: Properties;
  readonly required: readonly string[];
};

function createPrimaryTool(definition: Definition, { dispatch }: Pick<ToolDispatcher, 'dispatch'>): Tool {
  const { primary, description, idempotent, properties, required } = definition;
  const inputSchema = { type: 'object', properties, required, additionalProperties: false };
  const check = compileInputCheck(inputSchema);
  return {
    id: primaryToolId(primary),
    description,
    inputSchema,
    idempotent,
    run(input, caller, done) {
      const checked = check(input);
      if (checked.ok) return dispatch({ ...checked.value, primary }, caller, (result) => done(resultOutcome(result)));
      done(checked);
      return undefined;
    },
  };
}

const kind = { type: 'string', enum: ITEM_KINDS };
const itemId = { type: 'string', minLength: 1, description: 'Id of the item, such as rye/file-system/read' };
const source = {
  type: 'string',
  enum: SPACE_NAMES,
  description: 'Only this space. Without it the first of project, user and system that has the item',
};
const dryRun = { type: 'boolean', description: 'Only say what would be done' };

const query = {
  type: 'string',
  maxLength: MAX_QUERY_LENGTH,
  description: 'Words, "phrases", prefix*, AND, OR, NOT. Empty: everything that fits the other arguments',
};
const filters: Properties = {
  source: { ...source, description: 'Only this space' },
  category: { type: 'string', description: 'Only this category and those below it, such as rye/agent' },
  tags: { type: 'array', items: { type: 'string' }, description: 'Only items with all of these tags' },
  limit: { type: 'integer', minimum: 1, maximum: 100, default: 10, description: 'At most this many results' },
};

const DEFINITIONS: readonly Definition[] = [
  {
    primary: 'execute',
    description:
      'Run an item. A tool gives its result. A directive gives its steps with the inputs filled in, for you to follow; ' +
      'to have a child thread carry it out, execute the tool rye/agent/threads/thread_directive. Knowledge gives its text.',
    idempotent: false,
    properties: {
      item_type: { ...kind, default: 'tool' },
      item_id: itemId,
      parameters: { type: 'object', description: 'Parameters of the tool, or inputs of the directive' },
      source,
      dry_run: dryRun,
    },
    required: ['item_id'],
  },
  {
    primary: 'search',
    description:
      'Find directives, tools and knowledge. Results come best first; one with shadowed_by is hidden by the item of the ' +
      'same id in that space.',
    idempotent: true,
    properties: { query, item_type: { ...kind, description: 'Only items of this kind' }, ...filters },
    required: ['query'],
  },
  {
    primary: 'load',
    description:
      'Read an item: the text of knowledge, the steps of a directive, the source and parameters of a tool. With ' +
      'destination it is also copied into that space.',
    idempotent: false,
    properties: {
      item_type: kind,
      item_id: itemId,
      source,
      destination: { type: 'string', enum: ['project', 'user'], description: 'Copy the item to this space' },
      overwrite: { type: 'boolean', description: 'Replace the item that the destination has' },
      dry_run: dryRun,
    },
    required: ['item_type', 'item_id'],
  },
  {
    primary: 'sign',
    description:
      'Check an item against the schema of its kind and sign its file. To be repeated after every change, since a changed ' +
      'file is refused.',
    idempotent: false,
    properties: { item_type: kind, item_id: itemId, source: { ...source, enum: ['project', 'user'] }, dry_run: dryRun },
    required: ['item_type', 'item_id'],
  },
  {
    primary: 'fetch',
    description: 'Read the item with an item_id, or find items with a query: one of the two, never both.',
    idempotent: true,
    properties: {
      item_type: { ...kind, description: 'Kind of the item. With a query: only items of this kind' },
      item_id: itemId,
      query: { ...query, minLength: 1, description: 'Words, "phrases", prefix*, AND, OR, NOT' },
      ...filters,
      source,
    },
    required: [],
  },
];
