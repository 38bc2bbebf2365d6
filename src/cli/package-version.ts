import { createRequire } from 'node:module';
import { z } from 'zod';

const manifest = z.object({ version: z.string() });

/** The version of this package. */
export function packageVersion(): string {
  return manifest.parse(createRequire(import.meta.url)('skein/package.json')).version;
}
