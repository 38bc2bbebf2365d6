import type { FileVersion, Session } from './session.ts';

/** How blocks differ from the stored ones. */
export type BlockForm = {
  /** How many times as long they are. */
  readonly factor: number;
  /** Each edit of a file changes its block. */
  readonly changing: boolean;
};

/** Tokens of a block that has a path and nothing else. */
const PATH_TOKENS = 10;

/** The same session with other symbol blocks: longer ones, and one for each file, as the index makes them. */
export function withBlocks({ files, commits, ...session }: Session, form: BlockForm): Session {
  return {
    ...session,
    files: new Map([...files].map(([path, version]) => [path, versionWith(version, form)])),
    commits: commits.map((changes) => changes.map((change) => ({ ...change, after: versionWith(change.after, form) }))),
  };
}

function versionWith(version: FileVersion, { factor, changing }: BlockForm): FileVersion {
  const { hash, symbolHash, symbolTokens } = version;
  if (hash === '') return version;
  const tokens = symbolHash === '' ? PATH_TOKENS : Math.round(symbolTokens * factor);
  return { ...version, symbolHash: changing ? hash : symbolHash || 'path', symbolTokens: tokens };
}
