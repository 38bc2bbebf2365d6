import { z } from 'zod';
import { SkeinError } from '../core/errors.ts';

const count = z.int().min(0);
/** A value that may hold `${…}`; any JSON. */
const template = z.unknown();

const usageSchema = z.strictObject({
  input_tokens: count.optional(),
  output_tokens: count.optional(),
  cache_read_tokens: count.optional(),
  cache_write_tokens: count.optional(),
});

const callSchema = z.strictObject({
  name: z.string().min(1),
  input: z.record(z.string(), template).default({}),
});

/** A call that stands alone may fix its id, e.g. to repeat a recorded conversation. */
const singleCallSchema = callSchema.extend({ id: z.string().min(1).optional() });

/** A window onto a list: `[offset, offset + size)`; `index` counts windows instead of elements. */
const batchSchema = z
  .strictObject({ size: z.int().min(1), index: template.optional(), offset: template.optional() })
  .refine((batch) => batch.index === undefined || batch.offset === undefined, 'give `index` or `offset`, not both');

const eachSchema = z.strictObject({
  over: z.string().min(1),
  as: z.string().min(1).default('item'),
  batch: batchSchema.optional(),
  call: callSchema,
});

const collectSchema = z.strictObject({
  over: z.string().min(1),
  as: z.string().min(1).default('item'),
  batch: batchSchema.optional(),
  value: template,
});

const errorSchema = z.strictObject({
  type: z.string().min(1).default('ScriptedError'),
  message: z.string().default('scripted failure'),
  code: z.string().optional(),
  status_code: z.int().min(100).max(599).optional(),
  headers: z.record(z.string(), z.string()).default({}),
});

/** Ends within the stream: cleanly, by a reset, by silence, in something unreadable, or whole with a cut tool input. */
const breakSchema = z.discriminatedUnion('how', [
  z.strictObject({ how: z.enum(['end', 'reset', 'stall', 'garbage']), after_chunks: count.default(1) }),
  z.strictObject({ how: z.literal('cut_tool') }),
]);

const ruleSchema = z.strictObject({
  id: z.string().optional(),
  // What the conversation must look like; everything given must hold.
  directive: z.string().min(1).optional(),
  turn: count.optional(),
  last_tool: z.string().min(1).optional(),
  last_text: z.string().optional(),
  match: z.string().optional(),
  when: template.optional(),
  times: z.int().min(1).optional(),
  // What is answered.
  collect: z.record(z.string(), collectSchema).optional(),
  reasoning: z.string().optional(),
  text: z.string().optional(),
  tool_calls: z.array(singleCallSchema).optional(),
  tool_calls_each: eachSchema.optional(),
  error: errorSchema.optional(),
  finish_reason: z.enum(['stop', 'tool_calls', 'length']).optional(),
  // How.
  delay_ms: z.number().min(0).default(0),
  chunks: count.default(1),
  break: breakSchema.optional(),
  usage: usageSchema.optional(),
});

const scriptSchema = z.strictObject({
  schema_version: z.string().optional(),
  rules: z.array(ruleSchema).min(1),
});

/** A script as it is written: plain data from YAML or a TypeScript object. */
export type Script = z.input<typeof scriptSchema>;
/** A checked script, defaults filled. */
export type CheckedScript = z.output<typeof scriptSchema>;
/** One checked rule. */
export type CheckedRule = CheckedScript['rules'][number];
/** A window onto a list. */
export type BatchSpec = z.output<typeof batchSchema>;
/** One tool call, still with its `${…}`. */
export type CallSpec = z.output<typeof singleCallSchema>;

/** Checks a script. Throws `invalid_config` naming the first wrong place, e.g. `rules[2].tool_calls[0].name`. */
export function parseScript(script: unknown): CheckedScript {
  const parsed = scriptSchema.safeParse(script);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0];
  const path = pathOf(issue?.path ?? []);
  throw new SkeinError('invalid_config', `A scripted model's script is wrong: ${issue?.message ?? 'unreadable'}`, {
    where: { path },
    detail: { issues: parsed.error.issues.map(({ path, message }) => ({ path: pathOf(path), message })) },
  });
}

function pathOf(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, key) => {
    if (typeof key === 'number') return `${text}[${key}]`;
    return text === '' ? String(key) : `${text}.${String(key)}`;
  }, '');
}
