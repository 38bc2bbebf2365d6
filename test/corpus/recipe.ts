import { parse } from 'yaml';
import * as z from 'zod';

const part = z.union([
  z.strictObject({ text: z.string() }),
  /** `{n}` becomes 0, 1, 2, … */
  z.strictObject({ repeat: z.string().min(1), times: z.int().min(1).max(2_000_000) }),
  z.strictObject({ hex: z.string().regex(/^(?:[0-9a-f]{2})+$/) }),
]);

const schema = z.strictObject({
  extension: z.string().startsWith('.').default('.md'),
  /** What stands in the space: a link to a file outside it, or a folder, in place of the file. */
  place: z.enum(['file', 'link', 'folder']).default('file'),
  parts: z.array(part),
});

/** How to make a file that is too large, or too strange in its bytes, to lie in a repository. */
export type Recipe = z.output<typeof schema>;

/** Reads a `NAME.recipe.yaml`. */
export function parseRecipe(text: string, file: string): Recipe {
  const { data, error } = schema.safeParse(parse(text));
  if (error) throw new Error(`${file}: ${z.prettifyError(error)}`);
  return data;
}

/** The bytes of a recipe's file. */
export function followRecipe({ parts }: Recipe): Buffer {
  return Buffer.concat(parts.map((one) => bytesOf(one)));
}

function bytesOf(one: z.output<typeof part>): Buffer {
  if ('text' in one) return Buffer.from(one.text);
  if ('hex' in one) return Buffer.from(one.hex, 'hex');
  if (!one.repeat.includes('{n}')) return Buffer.from(one.repeat.repeat(one.times));
  const pieces = Array.from({ length: one.times }, (_, n) => one.repeat.replaceAll('{n}', String(n)));
  return Buffer.from(pieces.join(''));
}
