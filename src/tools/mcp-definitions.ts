import { setImmediate } from 'node:timers/promises';
import * as z from 'zod';
import { isRecord, own } from '../core/record.ts';
import { nestsDeeper } from '../core/nests-deeper.ts';
import { compileInputCheck, type InputCheck } from './input-check.ts';
import { foreignText, withShownHidden } from './mcp-foreign-text.ts';
import { mcpToolIds } from './mcp-tool-ids.ts';
import { canBeOffered, toldInWords } from './offered-tool.ts';

type Schema = Readonly<Record<string, unknown>>;

/** A tool of an MCP server, made fit for a palette. */
export type McpDefinition = {
  readonly id: string;
  /** What the server calls it. */
  readonly name: string;
  readonly description: string;
  /** What a model is shown: plain enough for every provider. */
  readonly inputSchema: Schema;
  readonly check: InputCheck;
};

/** The tools of a server by id, and what was left out or changed. */
export type McpDefinitions = {
  readonly tools: ReadonlyMap<string, McpDefinition>;
  readonly problems: readonly string[];
};

/** Tools that are read of one server. */
const MAX_TOOLS = 128;
const MAX_NAME = 256;
const MAX_DESCRIPTION = 2_000;
const MAX_SCHEMA_CHARS = 32_768;
const MAX_SCHEMA_DEPTH = 32;
/** Compiling so much takes half a second at worst. */
const MAX_PATTERNS = 5;
const MAX_PATTERN_CHARS = 1_000;

/**
 * Reads what a server says about its tools. It is foreign text that goes to a model: hidden characters go, lengths are
 * capped, and each description says where it comes from. A schema that we can't check, that has hidden characters in what is no
 * mere text, or that some provider would refuse together with the whole request, is told in words instead, in which they are
 * seen: the server checks its inputs itself.
 */
export async function readDefinitions(server: string, listed: readonly unknown[]): Promise<McpDefinitions> {
  const problems: string[] = [];
  const read = new Map<string, Listed>();
  for (const entry of listed.slice(0, MAX_TOOLS)) {
    const tool = readListed(entry);
    if (typeof tool === 'string') problems.push(tool);
    else if (read.has(tool.name)) problems.push(`the tool ${shown(tool.name)} is listed twice`);
    else read.set(tool.name, tool);
  }
  if (listed.length > MAX_TOOLS) problems.push(`it has more than ${MAX_TOOLS} tools; the others are left out`);
  const ids = mcpToolIds(server, [...read.keys()]);
  const tools = new Map<string, McpDefinition>();
  for (const tool of read.values()) {
    const id = ids.get(tool.name) ?? '';
    tools.set(id, define({ ...tool, id, server }));
    // Others wait while we compile.
    await setImmediate();
  }
  return { tools, problems };
}

const listedSchema = z.looseObject({
  name: z.string().min(1).max(MAX_NAME),
  description: z.string().optional(),
  inputSchema: z.unknown(),
});

type Listed = { readonly name: string; readonly description: string; readonly schema: Schema };

/** A tool as it is listed, or why it can't be used. */
function readListed(entry: unknown): Listed | string {
  const parsed = listedSchema.safeParse(entry);
  if (!parsed.success) return 'a tool without a usable name is left out';
  const { name, description = '', inputSchema } = parsed.data;
  if (!isRecord(inputSchema)) return `the tool ${shown(name)} is left out: it has no input schema`;
  if (nestsDeeper(inputSchema, MAX_SCHEMA_DEPTH) || JSON.stringify(inputSchema).length > MAX_SCHEMA_CHARS) {
    return `the tool ${shown(name)} is left out: its input schema is too large`;
  }
  return { name, description, schema: inputSchema };
}

function shown(name: string): string {
  return JSON.stringify(foreignText(name, 60));
}

function define({
  id,
  server,
  name,
  ...listed
}: Listed & { readonly id: string; readonly server: string }): McpDefinition {
  const schema = withCleanTexts(listed.schema);
  const usable = checkFor(schema);
  const words = foreignText(listed.description, MAX_DESCRIPTION) || foreignText(name, MAX_NAME).replaceAll(/\s+/g, ' ');
  const description = `(MCP server ${server}) ${words}`;
  if (usable) return { id, name, description, inputSchema: schema, check: usable };
  const told = toldInWords({ description, inputSchema: schema });
  const shownDescription = withShownHidden(told.description);
  return { id, name, ...told, description: shownDescription, check: compileInputCheck(told.inputSchema) };
}

/** Keys whose texts are for reading; all others are part of the meaning. */
const TEXT_KEYS: ReadonlySet<string> = new Set(['title', 'description', '$comment']);

function withCleanTexts(schema: Schema): Schema {
  const clean = (value: unknown, key: string): unknown => {
    if (typeof value === 'string') return TEXT_KEYS.has(key) ? foreignText(value, MAX_DESCRIPTION) : value;
    if (Array.isArray(value)) return value.map((item) => clean(item, ''));
    return isRecord(value) ? cleanRecord(value) : value;
  };
  const cleanRecord = (record: Schema): Schema =>
    Object.fromEntries(Object.entries(record).map(([key, value]) => [key, clean(value, key)]));
  return cleanRecord(schema);
}

/** The check for a schema that may be shown as it is; undefined for one that may not. */
function checkFor(schema: Schema): InputCheck | undefined {
  const isPlain = own(schema, 'type') === 'object' && canBeOffered(schema);
  if (!isPlain || hasHidden(schema) || !areCheap(patternsIn(schema))) return undefined;
  try {
    return compileInputCheck(schema);
  } catch {
    // A keyword we don't know, or nonsense: the model is told in words, the server checks.
    return undefined;
  }
}

/** In names, choices, default values: they are part of the meaning, and are not changed. */
function hasHidden(schema: Schema): boolean {
  const json = JSON.stringify(schema);
  return withShownHidden(json) !== json;
}

function areCheap(patterns: readonly string[]): boolean {
  return patterns.length <= MAX_PATTERNS && patterns.join('').length <= MAX_PATTERN_CHARS;
}

function patternsIn(schema: unknown): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(patternsIn);
  if (!isRecord(schema)) return [];
  const [pattern, named] = [own(schema, 'pattern'), own(schema, 'patternProperties')];
  return [
    ...(typeof pattern === 'string' ? [pattern] : []),
    ...(isRecord(named) ? Object.keys(named) : []),
    ...Object.values(schema).flatMap(patternsIn),
  ];
}
