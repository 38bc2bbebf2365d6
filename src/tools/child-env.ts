/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

const ALLOWED: ReadonlySet<string> = new Set(['PATH', 'HOME', 'LANG', 'TMPDIR']);

/** What a tool process gets of the environment: PATH, HOME, LANG, LC_*, TMPDIR and the names listed in config. */
export function childEnv(env: Env, extraNames: readonly string[]): Record<string, string> {
  const extra = new Set(extraNames);
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (ALLOWED.has(entry[0]) || entry[0].startsWith('LC_') || extra.has(entry[0])),
    ),
  );
}
