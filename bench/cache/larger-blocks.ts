import { SkeinError } from '../../src/index.ts';
import { TOKENS } from './constants.ts';
import type { FileVersion, Session } from './session.ts';

/** How blocks differ from the stored ones. */
export type BlockForm = {
  /** How many times as long they are. */
  readonly factor: number;
  /** Each edit of a file changes its block. */
  readonly changing: boolean;
};

/** Reads `--blocks` and `--changing`; undefined for the stored blocks. @throws SkeinError `invalid_argument` */
export function readBlockForm(blocks: string | undefined, changing: boolean): BlockForm | undefined {
  if (blocks === undefined && changing)
    throw new SkeinError('invalid_argument', '--changing is about larger blocks: --blocks N is expected with it');
  if (blocks === undefined) return undefined;
  const factor = Number(blocks);
  if (factor > 0 && Number.isFinite(factor)) return { factor, changing };
  throw new SkeinError('invalid_argument', `--blocks is ${JSON.stringify(blocks)}; a number above 0 is expected`);
}

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
  const tokens = symbolHash === '' ? TOKENS.pathBlock : Math.round(symbolTokens * factor);
  return { ...version, symbolHash: changing ? hash : symbolHash || 'path', symbolTokens: tokens };
}
