/*
 * Makes a session file of a git repository: sizes and hashes, no text.
 * `node bench/cache/session-from-git.ts REPOSITORY FILE [--skip N] [--commits N] [--without FOLDER]… [--parsed]`
 * Commits count if they touch source files. One that touches more than 8, as releases do, is taken as several of 4, in
 * the order of their paths. Symbol blocks are outlines; with `--parsed` those that the index makes.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { estimateTextTokens } from '../../src/providers/pricing.ts';
import { COMMITS } from './constants.ts';
import { outline } from './outline.ts';
import { createParsedBlocks } from './parsed-blocks.ts';
import type { StoredSession } from './session.ts';

/** Files that a symbol index would read. */
const SOURCE = /\.(?:[cm]?[jt]sx?|py|go|rs|java|c|h|cc|cpp)$/;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    skip: { type: 'string', default: '0' },
    commits: { type: 'string', default: '20' },
    without: { type: 'string', multiple: true, default: [] },
    parsed: { type: 'boolean', default: false },
  },
});
const [repository = '.', file = 'session.json'] = positionals;
const codes = new Map<string, number>();
const blockOf = values.parsed ? createParsedBlocks() : outline;
const session = await makeSession(Number(values.skip), Number(values.commits));
writeFileSync(file, encode(session));
console.log(`${file}: ${session.files.length} files, ${session.commits.length} commits`);

async function makeSession(skip: number, wanted: number): Promise<StoredSession> {
  const all = git('log', '--reverse', '--topo-order', '--no-merges', '--format=%H')
    .trim()
    .split('\n')
    .slice(skip + 1);
  const blobs = blobsOf(`${all[0]}^`);
  const commits: StoredSession['commits'][number][] = [];
  for (const commit of all) {
    if (commits.length >= wanted) break;
    const touched = await touchedBy(`${commit}^`, commit);
    const size = touched.length > COMMITS.touched ? COMMITS.part : COMMITS.touched;
    for (let from = 0; from < touched.length && commits.length < wanted; from += size) {
      commits.push(touched.slice(from, from + size));
    }
  }
  const files: StoredSession['files'][number][] = [];
  for (const path of [...blobs.keys()].filter(isSource)) {
    const text = git('cat-file', 'blob', blobs.get(path) ?? '');
    if (!isLarge(text)) files.push([codeOf(path), ...(await versionOf(path, text))]);
  }
  return {
    tree_tokens: estimateTextTokens([...blobs.keys()].join('\n')),
    files,
    commits,
  };
}

function blobsOf(revision: string): Map<string, string> {
  const lines = git('ls-tree', '-r', '-z', revision).split('\0').filter(Boolean);
  const entries = lines.map((line) => [line.slice(line.indexOf('\t') + 1), line.split(/[ \t]/)[2] ?? ''] as const);
  return new Map(entries.filter(([path]) => !values.without.some((folder) => path.startsWith(`${folder}/`))));
}

async function touchedBy(before: string, after: string): Promise<StoredSession['commits'][number][number][]> {
  const blobs = blobsOf(after);
  const paths = git('diff', '--name-only', '--no-renames', '-z', before, after).split('\0').filter(Boolean);
  const touched: StoredSession['commits'][number][number][] = [];
  for (const path of paths) {
    if (!isSource(path) || values.without.some((folder) => path.startsWith(`${folder}/`))) continue;
    const blob = blobs.get(path);
    const text = blob === undefined ? '' : git('cat-file', 'blob', blob);
    const diff = git('diff', '--no-renames', '-U0', before, after, '--', path);
    const lines = diff.split('\n').filter((line) => /^[-+](?![-+]{2})/.test(line));
    if (isLarge(text) || isLarge(diff)) continue;
    touched.push([codeOf(path), ...(await versionOf(path, text)), estimateTextTokens(lines.join('\n'))]);
  }
  return touched;
}

async function versionOf(path: string, text: string): Promise<readonly [string, number, string, number]> {
  const block = text === '' ? '' : await blockOf(path, text);
  // As a fenced block with its path.
  const rendered = text === '' ? '' : `${path}\n\`\`\`\n${text}\n\`\`\`\n`;
  return [hashOf(rendered), estimateTextTokens(rendered), hashOf(block), estimateTextTokens(block)];
}

function hashOf(text: string): string {
  return text === '' ? '' : createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function isSource(path: string): boolean {
  return SOURCE.test(path);
}

function isLarge(text: string): boolean {
  return estimateTextTokens(text) > COMMITS.fileTokens;
}

/** `src/a-b.test.ts` becomes numbers, the same for the same word. */
function codeOf(path: string): string {
  return path.replace(/[^/.]+/g, (word) => {
    const code = codes.get(word) ?? codes.size;
    codes.set(word, code);
    return String(code);
  });
}

function encode({ tree_tokens, files, commits }: StoredSession): string {
  const rows = (all: readonly unknown[]): string => all.map((one) => `    ${JSON.stringify(one)}`).join(',\n');
  return `{\n  "tree_tokens": ${tree_tokens},\n  "files": [\n${rows(files)}\n  ],\n  "commits": [\n${rows(commits)}\n  ]\n}\n`;
}

function git(...argv: readonly string[]): string {
  return execFileSync('git', ['-C', repository, ...argv], { encoding: 'utf8', maxBuffer: 1 << 28 });
}
