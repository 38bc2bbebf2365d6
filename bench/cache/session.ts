import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** A file at one time: hash and tokens of its text and of its symbol block. No text (deleted) and no block are "" and 0. */
export type FileVersion = {
  readonly hash: string;
  readonly tokens: number;
  readonly symbolHash: string;
  readonly symbolTokens: number;
};

/** A coding session as it is replayed: what was where at its beginning, and what each commit changed. */
export type Session = {
  readonly name: string;
  /** Tokens of the list of all files. */
  readonly treeTokens: number;
  /** By path. A path is numbers, one for each word: which files stand together and are named alike is all that is kept. */
  readonly files: ReadonlyMap<string, FileVersion>;
  readonly commits: readonly (readonly Change[])[];
};

/** What a commit made of one file. `diffTokens`: the lines taken away and added. */
export type Change = { readonly path: string; readonly after: FileVersion; readonly diffTokens: number };

/** How a session is stored: numbers and hashes only. */
export type StoredSession = {
  readonly tree_tokens: number;
  /** path, then the version's hash, tokens, symbol hash, symbol tokens */
  readonly files: readonly (readonly [string, string, number, string, number])[];
  /** path, the version after the commit, tokens of the diff */
  readonly commits: readonly (readonly (readonly [string, string, number, string, number, number])[])[];
};

const FOLDER = fileURLToPath(new URL('./sessions', import.meta.url));

/** The stored sessions of a folder: `tuning` or `held-out`; sorted by name. */
export function readSessions(kind: string): Session[] {
  const folder = join(FOLDER, kind);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.json'))
    .toSorted()
    .map((file) => decode(basename(file, '.json'), readFileSync(join(folder, file), 'utf8')));
}

function decode(name: string, text: string): Session {
  // Written by session-from-git.ts alone.
  const { tree_tokens, files, commits } = JSON.parse(text) as StoredSession;
  return {
    name,
    treeTokens: tree_tokens,
    files: new Map(
      files.map(([path, hash, tokens, symbolHash, symbolTokens]) => [path, { hash, tokens, symbolHash, symbolTokens }]),
    ),
    commits: commits.map((changes) =>
      changes.map(([path, hash, tokens, symbolHash, symbolTokens, diffTokens]) => ({
        path,
        after: { hash, tokens, symbolHash, symbolTokens },
        diffTokens,
      })),
    ),
  };
}
