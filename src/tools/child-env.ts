import { resolve } from 'node:path';

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

/**
 * An environment in which the user space is the one that Skein uses, whether a variable or its embedder said so; without one
 * the environment as it is, since what `SKEIN_USER_SPACE` names is to be kept away from all the same.
 */
export function withUserSpace(env: Env, userSpace: string | undefined): Env {
  return userSpace === undefined ? env : { ...env, SKEIN_USER_SPACE: resolve(userSpace) };
}
