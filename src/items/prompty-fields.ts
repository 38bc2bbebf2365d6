import * as z from 'zod';
import type { PromptyAgent, PromptyInput, PromptyKind } from '../core/prompty-agent.ts';
import { isRecord } from '../core/record.ts';

/** The agent without its template, or what is wrong in the front matter and at which keys. */
export type PromptyFields =
  | { readonly ok: true; readonly fields: Omit<PromptyAgent, 'instructions'> }
  | { readonly ok: false; readonly path: readonly string[]; readonly message: string };

/** The keys of front matter that have a meaning here; all others are `metadata`. */
export const PROMPTY_KEYS: ReadonlySet<string> = new Set(['name', 'description', 'model', 'inputs', 'template']);

const KINDS = 'string integer float number boolean array object any thread image file audio'.split(' ');
/** Keys of the description of an input. */
const PROPERTY_KEYS = new Set(
  'name kind default required example description enumValues items properties strict'.split(' '),
);

const kind = z.string().refine((text): text is PromptyKind => KINDS.includes(text), `one of ${KINDS.join(', ')}`);
const inputName = z.string().regex(/^[\p{L}_][\p{L}\p{N}_-]{0,127}$/u, 'a name of letters, digits, "_" and "-"');
const property = z.looseObject({
  kind: kind.optional(),
  default: z.unknown().optional(),
  required: z.boolean().default(false),
  example: z.unknown().optional(),
  description: z.string().optional(),
});
const component = z.union([z.string().transform((text) => ({ kind: text })), z.looseObject({ kind: z.string() })]);
const model = z.looseObject({ id: z.string().optional(), provider: z.string().optional() });
const JINJA = { kind: 'jinja2' };
const PROMPTY = { kind: 'prompty' };
/** Keys of the description of a template. */
const TEMPLATE_KEYS = ['format', 'parser'];
const template = z.union([
  z.string().transform((format) => ({ format: { kind: format }, parser: PROMPTY })),
  z
    .looseObject({ format: component.default(JINJA), parser: component.default(PROMPTY) })
    .superRefine((given, context) => {
      const unknown = Object.keys(given).find((key) => !TEMPLATE_KEYS.includes(key));
      if (unknown === undefined) return;
      context.addIssue({ code: 'custom', path: [unknown], message: `a template has ${TEMPLATE_KEYS.join(', ')}` });
    }),
]);

const schema = z.looseObject({
  name: z.string().default(''),
  description: z.string().default(''),
  model: z.union([z.string().transform((id) => ({ id })), model]).default({}),
  inputs: z
    .union([
      z.array(z.looseObject({ name: inputName })).transform((list) => list.map((each) => [each.name, each] as const)),
      z.record(inputName, z.unknown()).transform((map) => Object.entries(map).map(describedBy)),
    ])
    .default([]),
  template: template.default({ format: JINJA, parser: PROMPTY }),
});

/** Reads front matter as Prompty has it, short forms included: a model's name, a template's format, an input's default. */
export function readPromptyFields(data: Readonly<Record<string, unknown>>): PromptyFields {
  const parsed = schema.safeParse(data);
  if (!parsed.success) return fault(parsed.error);
  const { name, description, model: settings, inputs: entries, template: wanted, ...metadata } = parsed.data;
  const inputs = new Map<string, PromptyInput>();
  for (const [key, value] of entries) {
    const path = ['inputs', key];
    if (inputs.has(key)) return { ok: false, path, message: `the input "${key}" is declared twice` };
    const unknown = Object.keys(value).find((each) => !PROPERTY_KEYS.has(each));
    if (unknown !== undefined) return { ok: false, path: [...path, unknown], message: NO_PROPERTY };
    const read = property.safeParse(value);
    if (!read.success) return fault(read.error, path);
    inputs.set(key, inputOf(key, read.data));
  }
  const fields = { name, description, model: settings, inputs: [...inputs.values()], template: wanted, metadata };
  return { ok: true, fields };
}

const NO_PROPERTY = `an input has ${[...PROPERTY_KEYS].join(', ')}`;

/** In a map of inputs each value is a description or, in short, a default. */
function describedBy([name, value]: readonly [string, unknown]): readonly [string, object] {
  return [name, isDescription(value) ? value : { default: value }];
}

/** A map that has nothing but an input's keys, or says of which kind it is, or whether it is required. */
function isDescription(value: unknown): value is object {
  if (!isRecord(value)) return false;
  const entries = Object.entries(value);
  if (entries.some(([key, said]) => key === 'required' && typeof said === 'boolean')) return true;
  if (entries.some(([key, said]) => key === 'kind' && KINDS.includes(String(said)))) return true;
  return entries.length > 0 && entries.every(([key]) => PROPERTY_KEYS.has(key));
}

function inputOf(name: string, read: z.infer<typeof property>): PromptyInput {
  const { default: value, required, example, description } = read;
  return {
    name,
    kind: read.kind ?? kindOf(value),
    required,
    ...(value !== undefined && value !== null && { default: value }),
    ...(example !== undefined && { example }),
    ...(description !== undefined && { description }),
  };
}

/** The kind that a default shows, for an input that names none. */
function kindOf(value: unknown): PromptyKind {
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'float';
  if (typeof value === 'boolean') return 'boolean';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'object' && value !== null ? 'object' : 'string';
}

function fault({ issues }: z.ZodError, base: readonly string[] = []): PromptyFields {
  const issue = deepest(issues[0]);
  const path = [...base, ...(issue?.path ?? []).map(String)];
  return { ok: false, path, message: issue?.message ?? 'not accepted' };
}

/** Of several forms the one that the text comes nearest to says best what is wrong. */
function deepest(issue: z.core.$ZodIssue | undefined): z.core.$ZodIssue | undefined {
  if (issue?.code !== 'invalid_union') return issue;
  const [near] = issue.errors
    .flatMap((issues) => issues.map((inner) => deepest(inner) ?? inner))
    .toSorted((one, other) => other.path.length - one.path.length);
  return near === undefined ? issue : { ...near, path: [...issue.path, ...near.path] };
}
