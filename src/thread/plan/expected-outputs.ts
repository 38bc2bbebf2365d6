import type { ToolDefinition } from '../../core/conversation.ts';
import { SkeinError } from '../../core/errors.ts';
import type { Directive } from '../../core/item.ts';
import type { ThreadSpec } from '../../core/protocol.ts';
import type { Result } from '../../core/result.ts';
import { checkOutputs, DELIVERS_RESULTS, returnToolDefinition } from '../../prompt/return-tool.ts';
import { compileInputCheck } from '../../tools/input-check.ts';
import { isPlainObject, toldInWords } from '../../tools/offered-tool.ts';

/** What a thread must return: its directive's outputs, and the caller's schema if there is one. */
export type ExpectedOutputs = {
  /** `directive_return`, with a property for each output. */
  readonly definition: ToolDefinition;
  /** Names that must be there. */
  readonly required: readonly string[];
  /** Whether there must be any outputs: a choice of several objects has no name that must be there. */
  readonly isExpected: boolean;
  readonly check: (given: Readonly<Record<string, unknown>>) => Result<Record<string, unknown>>;
};

/** Merges a directive's declared outputs with the JSON Schema its caller gave; both must be met. */
export function expectOutputs(directive: Directive, schema: ThreadSpec['outputSchema']): ExpectedOutputs {
  const { outputs } = directive;
  const own = returnToolDefinition(outputs);
  const declared = outputs.filter(({ required }) => required).map(({ name }) => name);
  if (schema === undefined) {
    const isExpected = declared.length > 0;
    return { definition: own, required: declared, isExpected, check: (given) => checkOutputs(outputs, given) };
  }
  const checkSchema = compileInputCheck(schema);
  const required = [...new Set([...declared, ...textsOf(schema['required'])])];
  const properties = { ...recordOf(own.inputSchema['properties']), ...recordOf(schema['properties']) };
  const isExpected = required.length > 0 || !checkSchema({}).ok;
  const description = isExpected || Object.keys(properties).length > 0 ? DELIVERS_RESULTS : own.description;
  const inputSchema = { ...own.inputSchema, properties, required, ...typesOf(schema) };
  return {
    definition: { ...own, description: described(description, schema), inputSchema },
    required,
    isExpected,
    check(given) {
      const checked = checkOutputs(outputs, given);
      return checked.ok ? checkSchema(checked.value) : checked;
    },
  };
}

/**
 * Refuses a caller's schema that no outputs of the directive can meet: the thread would try until its limits.
 *
 * @throws SkeinError `invalid_argument`
 */
export function refuseImpossible({ id, outputs }: Directive, schema: NonNullable<ThreadSpec['outputSchema']>): void {
  const { type, additionalProperties, properties } = schema;
  if (type !== undefined && ![type].flat().includes('object')) {
    throw impossible(`outputs are an object, and it asks for ${JSON.stringify(type)}`);
  }
  if (additionalProperties !== false) return;
  const extra = outputs.filter(({ name, required }) => required && !Object.hasOwn(recordOf(properties), name));
  if (extra.length === 0) return;
  const names = extra.map(({ name }) => JSON.stringify(name)).join(', ');
  throw impossible(`it accepts no names but its own, and the directive ${id} must return ${names}`);
}

function impossible(reason: string): SkeinError {
  return new SkeinError('invalid_argument', `The schema of output can not be met: ${reason}`);
}

/** What the properties do not say is told in words. */
function described(description: string, inputSchema: NonNullable<ThreadSpec['outputSchema']>): string {
  return isPlainObject(inputSchema) ? description : toldInWords({ description, inputSchema }).description;
}

/** What the properties refer to, and whether there may be others. */
function typesOf(schema: NonNullable<ThreadSpec['outputSchema']>): Readonly<Record<string, unknown>> {
  const names = ['$defs', 'definitions', 'additionalProperties'].filter((name) => Object.hasOwn(schema, name));
  return Object.fromEntries(names.map((name) => [name, schema[name]]));
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
