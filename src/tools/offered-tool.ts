import { isRecord, own } from '../core/record.ts';
import type { Tool } from '../core/tool.ts';

type Described = Pick<Tool, 'description' | 'inputSchema'>;

/** A tool as models are shown it: its schema is told in words where that can't be offered. */
export function offeredTool({ description, inputSchema }: Described): Described {
  return canBeOffered(inputSchema) ? { description, inputSchema } : toldInWords({ description, inputSchema });
}

/** Whether all providers take a tool's input schema. One that they do not take fails every request that it is in. */
export function canBeOffered(schema: Tool['inputSchema']): boolean {
  const properties = own(schema, 'properties') ?? {};
  return isPlainObject(schema) && isRecord(properties) && Object.keys(properties).every((name) => PROPERTY.test(name));
}

/** What Anthropic takes as the name of a parameter; one inside another can have any. */
const PROPERTY = /^[A-Za-z0-9_.-]{1,64}$/;

/** Whether a schema is of an object, and no choice at its top. */
export function isPlainObject(schema: Tool['inputSchema']): boolean {
  const types = [own(schema, 'type') ?? 'object'].flat();
  return types.includes('object') && NOT_AT_THE_TOP.every((word) => !Object.hasOwn(schema, word));
}

const NOT_AT_THE_TOP = ['oneOf', 'anyOf', 'allOf', 'not', 'enum', 'const', 'if', '$ref'];

/** The schema as part of the description, beside one that takes every object. */
export function toldInWords({ description, inputSchema }: Described): Described {
  const told = `${description}\nIts parameters, as JSON Schema: ${JSON.stringify(inputSchema)}`;
  return { description: told, inputSchema: ANY_OBJECT };
}

const ANY_OBJECT = { type: 'object' };
