/** A name in snake_case as TypeScript has it. */
export type CamelCase<Key> = Key extends `${infer Head}_${infer Tail}` ? `${Head}${Capitalize<CamelCase<Tail>>}` : Key;

/** Spells a name in snake_case as TypeScript does: for `section` of the config files and `camelKeys` of the operations. */
export function camelCase(key: string): string {
  return key.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
