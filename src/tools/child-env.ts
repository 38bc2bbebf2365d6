/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The last says where the user space is, for tools that must keep away from it, and for Skein itself run by one. */
const ALLOWED: ReadonlySet<string> = new Set(['PATH', 'HOME', 'LANG', 'TMPDIR', 'SKEIN_USER_SPACE']);

/** What a tool process gets of the environment: PATH, HOME, LANG, LC_*, TMPDIR, the user space, and what config lists. */
export function childEnv(env: Env, extraNames: readonly string[]): Record<string, string> {
  const extra = new Set(extraNames);
  return Object.fromEntries(
    Object.entries(env).filter(
      (entry): entry is [string, string] =>
        entry[1] !== undefined && (ALLOWED.has(entry[0]) || entry[0].startsWith('LC_') || extra.has(entry[0])),
    ),
  );
}
