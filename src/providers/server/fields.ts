import * as z from 'zod';

/**
 * One schema for every field of an SDK's type, and for no other: tsc fails when a field comes, goes, or becomes something
 * that its schema is not.
 */
export type Fields<Type> = { readonly [Key in keyof Required<Type>]: z.ZodType<Type[Key]> };

/** Words that an SDK's type allows, all of them. */
export type Words<Word extends string> = Readonly<Record<Word, true>>;

/** A field that may be there and is not looked at. */
export function unread<Type>(): z.ZodType<Type | undefined> {
  return z.custom<Type>().optional();
}

/** Objects told apart by a field, whose other fields are not looked at. */
export function kindsOf<Word extends string>(field: string, words: Words<Word>): z.ZodObject {
  return z.looseObject({ [field]: z.enum(Object.keys(words)) });
}
