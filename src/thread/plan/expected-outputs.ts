import type { ToolDefinition } from '../../core/conversation.ts';
import { SkeinError } from '../../core/errors.ts';
import type { DeclaredOutput, Directive } from '../../core/item.ts';
import type { ThreadSpec } from '../../core/protocol.ts';
import { own } from '../../core/record.ts';
import type { Result } from '../../core/result.ts';
import { compileInputRefs } from '../../items/input-refs.ts';
import { checkOutputs, DELIVERS_RESULTS, returnToolDefinition, type ReturnField } from '../../prompt/return-tool.ts';
import { compileInputCheck } from '../../tools/input-check.ts';
import { isPlainObject, toldInWords } from '../../tools/offered-tool.ts';
import { askedProperties, conflictOf, mergeProperty, type OutputSchema } from './asked-output.ts';

/** What a thread must return: its directive's outputs, and the caller's schema if there is one. */
export type ExpectedOutputs = {
  /** `directive_return`, with a property for each output. */
  readonly definition: ToolDefinition;
  /** Names that must be there. */
  readonly required: readonly string[];
  /** Whether there must be any outputs: a choice of several objects has no name that must be there. */
  readonly isExpected: boolean;
  /** What the prompt asks for by name. */
  readonly fields: readonly ReturnField[];
  /** Whether names alone do not say what is asked for, as of a choice of several objects. */
  readonly hasMore: boolean;
  readonly check: (given: Readonly<Record<string, unknown>>) => Result<Record<string, unknown>>;
};

/** Merges a directive's declared outputs with the JSON Schema its caller gave; both must be met. */
export function expectOutputs(directive: Directive, schema: ThreadSpec['outputSchema']): ExpectedOutputs {
  const outputs = directive.outputs.filter((output) => conflictOf(output, schema ?? {}) === undefined);
  const base = returnToolDefinition(outputs.map(withoutRefs));
  const declared = directive.outputs.filter(({ required }) => required).map(({ name }) => name);
  const check: ExpectedOutputs['check'] = (given) => checkOutputs(directive.outputs, given);
  if (schema === undefined) {
    const isExpected = declared.length > 0;
    return { definition: base, required: declared, isExpected, fields: outputs, hasMore: false, check };
  }
  const checkSchema = compileInputCheck(schema);
  const required = [...new Set([...declared, ...textsOf(schema['required'])])];
  const asked = askedProperties(schema);
  const properties = mergeProperties(directive, recordOf(base.inputSchema['properties']), asked);
  const names = Object.keys(properties);
  const isExpected = required.length > 0 || !checkSchema({}).ok;
  const description = isExpected || names.length > 0 ? DELIVERS_RESULTS : base.description;
  const inputSchema = { ...base.inputSchema, properties, ...(required.length > 0 && { required }), ...typesOf(schema) };
  return {
    definition: { ...base, description: described(description, schema), inputSchema },
    required,
    isExpected,
    fields: names.map((name) => fieldOf(name, outputs, asked)),
    hasMore: isExpected && (names.length === 0 || !isPlainObject(schema)),
    check(given) {
      const checked = check(given);
      return checked.ok ? checkSchema(checked.value) : checked;
    },
  };
}

/** Threads share the definition of the tool: what would be filled in for each of them stands in their prompts alone. */
function withoutRefs(output: DeclaredOutput): DeclaredOutput {
  return compileInputRefs(output.description) === undefined ? output : { ...output, description: '' };
}

type Properties = Readonly<Record<string, unknown>>;

/** The declared ones that can be met, then those that the caller adds. */
function mergeProperties({ outputs }: Directive, offered: Properties, asked: Properties): Properties {
  const merged = Object.entries(offered).map(([name, declared]) => [
    name,
    mergeProperty(recordOf(declared), own(asked, name)),
  ]);
  const names = new Set(outputs.map(({ name }) => name));
  return Object.fromEntries([...merged, ...Object.entries(asked).filter(([name]) => !names.has(name))]);
}

/** What a caller's schema says is told as it is; references are of the directive. */
function fieldOf(name: string, outputs: readonly DeclaredOutput[], asked: Properties): ReturnField {
  const text = recordOf(own(asked, name))['description'];
  if (typeof text === 'string' && text !== '') return { name, description: text, isLiteral: true };
  return { name, description: outputs.find((output) => output.name === name)?.description ?? '' };
}

/**
 * Refuses a caller's schema that no outputs of the directive can meet: the thread would try until its limits.
 *
 * @throws SkeinError `invalid_argument`
 */
export function refuseImpossible({ id, outputs }: Directive, schema: OutputSchema): void {
  const { type } = schema;
  if (type !== undefined && ![type].flat().includes('object')) {
    throw impossible(id, `outputs are an object, and it asks for ${JSON.stringify(type)}`);
  }
  const asked = new Set(textsOf(schema['required']));
  const conflicts = outputs
    .filter(({ name, required }) => required || asked.has(name))
    .map((output) => conflictOf(output, schema))
    .filter((conflict) => conflict !== undefined);
  if (conflicts.length > 0) throw impossible(id, conflicts.join('; '));
}

function impossible(directive: string, reason: string): SkeinError {
  return new SkeinError('invalid_argument', `The schema of output can not be met by ${directive}: ${reason}`);
}

/** What the properties do not say is told in words. */
function described(description: string, inputSchema: OutputSchema): string {
  return isPlainObject(inputSchema) ? description : toldInWords({ description, inputSchema }).description;
}

/** What the properties refer to, and whether there may be others. */
function typesOf(schema: OutputSchema): Readonly<Record<string, unknown>> {
  const names = ['$defs', 'definitions', 'additionalProperties'].filter((name) => Object.hasOwn(schema, name));
  return Object.fromEntries(names.map((name) => [name, schema[name]]));
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
