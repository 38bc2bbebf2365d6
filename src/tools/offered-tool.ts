import { own } from '../core/record.ts';
import type { Tool } from '../core/tool.ts';

type Described = Pick<Tool, 'description' | 'inputSchema'>;

/** A tool as models are shown it: its schema is told in words where that can't be offered. */
export function offeredTool({ description, inputSchema }: Described): Described {
  return canBeOffered(inputSchema) ? { description, inputSchema } : toldInWords({ description, inputSchema });
}

/**
 * Whether providers take a tool's input schema. Most refuse every request with one that is a choice at its top or
 * describes no object, and do not say whose it is.
 */
export function canBeOffered(schema: Tool['inputSchema']): boolean {
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
