import type { ToolDefinition } from '../core/conversation.ts';
import type { Directive } from '../core/item.ts';
import type { ThreadSpec } from '../core/protocol.ts';
import type { Result } from '../core/result.ts';
import { checkOutputs, returnToolDefinition } from '../prompt/return-tool.ts';
import { compileInputCheck } from '../tools/input-check.ts';

/** What a thread must return: its directive's outputs, and the caller's schema if there is one. */
export type ExpectedOutputs = {
  /** `directive_return` as it is offered to the model. */
  readonly definition: ToolDefinition;
  /** Names that must be there. */
  readonly required: readonly string[];
  readonly check: (given: Readonly<Record<string, unknown>>) => Result<Record<string, unknown>>;
};

/** Merges a directive's declared outputs with the JSON Schema its caller gave; both must be met. */
export function expectOutputs(directive: Directive, schema: ThreadSpec['outputSchema']): ExpectedOutputs {
  const { outputs } = directive;
  const own = returnToolDefinition(outputs);
  const declared = outputs.filter(({ required }) => required).map(({ name }) => name);
  if (schema === undefined) {
    return { definition: own, required: declared, check: (given) => checkOutputs(outputs, given) };
  }
  const checkSchema = compileInputCheck(schema);
  const required = [...new Set([...declared, ...textsOf(schema['required'])])];
  const properties = { ...recordOf(own.inputSchema['properties']), ...recordOf(schema['properties']) };
  return {
    definition: { ...own, inputSchema: { ...own.inputSchema, properties, required } },
    required,
    check(given) {
      const checked = checkOutputs(outputs, given);
      return checked.ok ? checkSchema(checked.value) : checked;
    },
  };
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((entry) => typeof entry === 'string') : [];
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}
