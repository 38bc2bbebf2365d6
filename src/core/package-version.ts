import { createRequire } from 'node:module';

/** The version of this package. */
export function packageVersion(): string {
  // Our own manifest, which npm takes no package without a version from.
  return (createRequire(import.meta.url)('skein/package.json') as { readonly version: string }).version;
}
