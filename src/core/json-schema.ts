import { z } from 'zod';
import { SkeinError, messageOf } from './errors.ts';
import { schemaPatterns } from './json-schema/schema-patterns.ts';

type Override = NonNullable<z.core.ToJSONSchemaParams['override']>;

/**
 * The side of a schema that is asked of a model: what goes in, before transforms and defaults. `what` names it in the error.
 *
 * @throws SkeinError `invalid_argument` for one that contradicts itself, as by two schemas with one id
 */
export function jsonSchemaOf(
  schema: z.core.$ZodType,
  what: string,
  override: Override = () => {},
): Readonly<Record<string, unknown>> {
  try {
    // What has none there is anything to a model: the schema itself checks what comes.
    return z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any', override });
  } catch (cause) {
    const message = messageOf(cause);
    throw new SkeinError('invalid_argument', `The schema of ${what} has no JSON Schema: ${message}`, { cause });
  }
}

/**
 * The same for outputs, which are checked by it before the schema itself sees them: without the patterns that can't be checked
 * so, or that would refuse what the schema takes. What `z.preprocess` changes is checked by what comes out of it, and lengths behind a
 * `trim()` by the text as it came: a model is told of these, and can keep to them.
 *
 * @throws SkeinError `invalid_argument` as {@link jsonSchemaOf}
 */
export function outputSchemaOf(schema: z.core.$ZodType): Readonly<Record<string, unknown>> {
  const known = described.get(schema) ?? jsonSchemaOf(schema, 'output', dropPatterns());
  described.set(schema, known);
  return known;
}

/** Each schema is read once: to compile its patterns takes milliseconds, and thousands of threads may have the same one. */
const described = new WeakMap<z.core.$ZodType, Readonly<Record<string, unknown>>>();

function dropPatterns(): Override {
  const compile = schemaPatterns();
  const isUseless = (source: string): boolean => {
    try {
      compile(source, '');
      return false;
    } catch {
      // Look-around, say: the schema itself checks what comes.
      return true;
    }
  };
  return ({ zodSchema, jsonSchema }) => {
    const isMeantOtherwise = hasLostMeaning(zodSchema);
    for (const part of [jsonSchema, ...(jsonSchema.allOf ?? [])]) {
      if (part.pattern !== undefined && (isMeantOtherwise || isUseless(part.pattern))) delete part.pattern;
    }
    const { patternProperties = {} } = jsonSchema;
    for (const source of Object.keys(patternProperties)) if (isUseless(source)) delete patternProperties[source];
  };
}

/** Whether patterns mean something else without the schema: they have flags, or the text is changed before they see it. */
function hasLostMeaning({ _zod: { def } }: z.core.$ZodType): boolean {
  return [def, ...(def.checks ?? []).map((check) => check._zod.def)].some((one) => {
    if ('check' in one && one.check === 'overwrite') return true;
    return 'pattern' in one && one.pattern instanceof RegExp && !/^u?$/.test(one.pattern.flags);
  });
}
