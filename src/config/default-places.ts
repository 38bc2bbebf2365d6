import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** What ships: the YAML defaults and, in `space`, the system space. In `dist` that is a copy whose items are signed. */
export const SYSTEM_DIR: string = fileURLToPath(new URL('../../config', import.meta.url));

/** The user space: `SKEIN_USER_SPACE`, else `.ai` in the home folder, if they are set and not empty. */
export function defaultUserSpace(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const home = env['HOME'] || env['USERPROFILE'];
  return env['SKEIN_USER_SPACE'] || (home ? join(home, '.ai') : undefined);
}
