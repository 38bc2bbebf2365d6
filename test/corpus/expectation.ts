import { parse } from 'yaml';
import * as z from 'zod';

const fields = z.record(z.string(), z.unknown());
const texts = z.array(z.string().min(1));
const oneOrMore = <Value extends z.ZodType>(value: Value) =>
  z.union([value.transform((one) => [one]), z.array(value).min(1)]);

const schema = z
  .strictObject({
    /** What the file is there to show. */
    why: z.string().min(1),
    /** Only in `hostile/`, where the folder does not say it. */
    kind: z.enum(['directive', 'knowledge', 'tool']).optional(),
    /** How the bytes differ from the file as it lies here, so that no editor or checkout can mend them. */
    as: z.strictObject({ bom: z.boolean().optional(), line_ends: z.literal('crlf').optional() }).optional(),
    /** Fields and their exact values; null = undefined. The ends of `preamble`, `body` and `content` are trimmed. */
    expect: fields.optional(),
    /** Fields of which a part is given: maps may have more keys, lists not more entries. */
    has: fields.optional(),
    /** What the extractor makes of it, by field id. */
    fields: fields.optional(),
    /** Fields that must be there with any value. */
    field_names: texts.optional(),
    /** Text fields by their lines that are not blank. */
    lines: z.record(z.string(), texts).optional(),
    /** Fields that must be text, whichever. */
    texts: texts.optional(),
    /** One text for each warning, found in it; in any order. */
    warnings: texts.optional(),
    /** There may be warnings beside these. */
    more_warnings: z.boolean().optional(),
    /** What the error must be. */
    refused: z
      .strictObject({
        code: oneOrMore(z.string()),
        /** Line in the file, from 1; a list = any of them. */
        line: oneOrMore(z.int().min(1)).optional(),
        says: texts.optional(),
      })
      .optional(),
    /** `refused` says what the error must be if there is one, the rest what the item must be if there is none. */
    either: z.boolean().optional(),
  })
  .refine(({ refused, either, expect, has }) => refused === undefined || either === true || !(expect ?? has), {
    message: 'a refused item has no fields, unless it is either',
  });

/** What must come of a file of the corpus. */
export type Expectation = z.output<typeof schema>;

/** Reads a `NAME.expected.yaml`; whoever misspells a key hears of it. */
export function parseExpectation(text: string, file: string): Expectation {
  const { data, error } = schema.safeParse(parse(text));
  if (error) throw new Error(`${file}: ${z.prettifyError(error)}`);
  return data;
}
