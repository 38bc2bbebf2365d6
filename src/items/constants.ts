/** A constant of a tool file: its value, or why it can't be read without running the file. */
export type Constant =
  | { readonly ok: true; readonly value: unknown; readonly line: number | undefined }
  | { readonly ok: false; readonly reason: string; readonly line: number | undefined };

/** The constants of a tool file by name. */
export type Constants = ReadonlyMap<string, Constant>;

/** Names of a tool's contract (S2 §5). */
export const CONTRACT_NAMES: ReadonlySet<string> = new Set([
  '__version__',
  '__tool_type__',
  '__executor_id__',
  '__category__',
  '__tool_description__',
  '__idempotent__',
  '__timeout_seconds__',
  'CONFIG_SCHEMA',
]);

/** Why a value can't be taken from a file. Thrown by the readers of literals and turned into a {@link Constant}. */
export class NotLiteral extends Error {}

/** Characters of a literal that are read, as many as YAML may have; what is read is gone through several times. */
const MAX_LITERAL_LENGTH = 256 * 1024;

/** The text of a file up to where a literal that starts at an offset has to end. */
export function literalRange(source: string, offset: number): string {
  return source.slice(0, offset + MAX_LITERAL_LENGTH);
}

/** What is wrong with a literal whose reading came to the end of its range, if that is not the end of the file. */
export function faultOfLength(
  cursor: { readonly text: string; readonly at: number },
  source: string,
): string | undefined {
  const { text, at } = cursor;
  if (at < text.length || text.length === source.length) return undefined;
  return `it is longer than ${MAX_LITERAL_LENGTH / 1024} KiB`;
}
