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

/** Levels of nesting a literal may have. */
export const MAX_LITERAL_DEPTH = 64;
