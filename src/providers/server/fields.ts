import * as z from 'zod';

/**
 * One schema for every field of an SDK's type, and for no other: tsc fails when a field comes, goes, or becomes something
 * that its schema is not.
 */
export type Fields<Type> = { readonly [Key in keyof Required<Type>]: z.ZodType<Type[Key]> };

/** The same where a field's content is checked less closely than its type says. */
export type FieldNames<Type> = { readonly [Key in keyof Required<Type>]: z.ZodType };

/** The words of an SDK's type, all of them. */
export type Words<Word extends string> = { readonly [Key in Word]: Key };

/** A field that may be there and is not looked at. */
export function unread<Type>(): z.ZodExactOptional<z.ZodType<Type>> {
  return z.custom<Type>().exactOptional();
}

/** Objects of these types, of which nothing else is looked at. */
export function unreadKinds<Word extends string>(
  words: Words<Word>,
): z.ZodObject<{ type: z.ZodEnum<Words<Word>> }, z.core.$loose> {
  return z.looseObject({ type: z.enum(words) });
}
