import { SkeinError } from '../core/errors.ts';
import type { Review, ReviewCommit, ReviewFile } from '../core/review.ts';
import { askForBeginning, hasFailed, PLAIN_DIFF, type Git, type GitOptions } from './git.ts';

/** What is to be reviewed. */
export type ReviewOrder = {
  readonly git: Git;
  /** The commit before the changes, by any name that git knows it by. */
  readonly base: string;
  /** Paths of the files that are shown in full, from the folder git is asked about. */
  readonly selected: readonly string[];
  /** The symbol block of a file as it was, if it has one. What has been read once can be remembered by git's name of it. */
  readonly outline: (file: FileBefore) => Promise<string | undefined>;
};

/** A file as it was before the changes; `object` is git's name of its content. */
export type FileBefore = {
  readonly path: string;
  readonly object: string;
  readonly read: () => Promise<string>;
};

/** Most commits that are read and new files whose lines are counted, and the longest diff and the largest file in characters. */
const MAX_COMMITS = 1000;
const MAX_COUNTED = 2000;
const MAX_OUTLINED = 500;
const MAX_DIFF = 100_000;
const MAX_OUTLINED_BYTES = 1024 * 1024;

/**
 * Reads what a review is about (S1 "Review Context"): from a commit to what is on the disk now.
 *
 * @throws SkeinError `invalid_argument` if there is no such commit, `tool_failed` if git fails, or has no files there
 */
export async function readReview(order: ReviewOrder): Promise<Review> {
  const { git, selected } = order;
  const base = await resolveCommit(order);
  await requireOwnFiles(git);
  const [branch, commitCount, commits, known, unknown] = await Promise.all([
    git(['rev-parse', '--abbrev-ref', 'HEAD']),
    git(['rev-list', '--count', `${base}..HEAD`]),
    readCommits(git, base),
    readFiles(git, base),
    readNewFiles(git),
  ]);
  const isKnown = new Set(known.map(({ path }) => path));
  const added = unknown.filter(({ path }) => !isKnown.has(path));
  const files = [...known, ...added].toSorted(byPath);
  const isNew = new Set(added.map(({ path }) => path));
  const reverseDiffs = new Map<string, string>();
  for (const path of selected) {
    if (isKnown.has(path)) reverseDiffs.set(path, await readDiff(git, [...PLAIN_DIFF, '-R', base, '--', path]));
    if (isNew.has(path)) reverseDiffs.set(path, await readDiff(git, newFileDiff(path), { mayEndWithOne: true }));
  }
  return {
    branch: branch.trim(),
    base,
    commits,
    commitCount: Number(commitCount),
    files,
    uncountedFiles: unknown.slice(MAX_COUNTED).filter(({ path }) => !isKnown.has(path)).length,
    symbolMap: await symbolsBefore(order, base, files),
    reverseDiffs,
  };
}

/** A repository can say that its files are somewhere else, where nobody has let a review read any; a bare one has none. */
async function requireOwnFiles(git: Git): Promise<void> {
  const answer = await git(['rev-parse', '--is-inside-work-tree']);
  if (answer.trim() === 'true') return;
  const message = 'git has no files in this folder (a bare repository, or core.worktree): there is nothing to review';
  throw new SkeinError('tool_failed', message);
}

/** The full name of a commit. @throws SkeinError `invalid_argument` if there is none of this name, `tool_failed` if git fails */
export async function resolveCommit({ git, base }: Pick<ReviewOrder, 'git' | 'base'>): Promise<string> {
  // No argument of a program has a NUL, and with `^` git names what it is to leave out.
  if (base.includes('\0') || base.startsWith('^')) throw noCommit(base);
  // All that follows `:/` is a text to look for, and what has it is a commit.
  const name = base.startsWith(':/') ? base : `${base}^{commit}`;
  try {
    const found = await git(['rev-parse', '--verify', '--quiet', '--end-of-options', name]);
    return found.trim();
  } catch (cause) {
    if (!hasFailed(cause)) throw cause;
    // What is wrong with the repository is none of the commit's fault.
    await git(['rev-parse', '--git-dir']);
    throw noCommit(base, cause);
  }
}

function noCommit(base: string, cause?: unknown): SkeinError {
  return new SkeinError('invalid_argument', `There is no commit ${JSON.stringify(base)} to review from`, { cause });
}

async function readCommits(git: Git, base: string): Promise<readonly ReviewCommit[]> {
  // A line each: of these only the author and the subject are anybody's text, and neither can have a line break.
  const format = '--format=%H%n%an%n%aI%n%s';
  const log = await git([
    'log',
    '-z',
    '--no-color',
    '--reverse',
    `--max-count=${MAX_COMMITS}`,
    format,
    `${base}..HEAD`,
  ]);
  return records(log).map((record) => {
    const [hash = '', author = '', date = '', subject = ''] = record.split('\n');
    return { hash, author, date, subject };
  });
}

async function readFiles(git: Git, base: string): Promise<readonly ReviewFile[]> {
  const list = await git([...PLAIN_DIFF, '--numstat', '-z', base, '--']);
  return records(list).map((record) => {
    const [added = '', removed = '', ...path] = record.split('\t');
    return { path: path.join('\t'), added: lines(added), removed: lines(removed) };
  });
}

/**
 * Files that git does not know yet and is not told to ignore. Git counts their lines, too: by a search that finds every line
 * of a text, and one for files in which it finds none. Of very many the first are counted.
 */
async function readNewFiles(git: Git): Promise<readonly ReviewFile[]> {
  const listed = await git(['ls-files', '--others', '--exclude-standard', '-z']);
  // A repository within this one is named as a folder.
  const paths = records(listed).filter((path) => !path.endsWith('/'));
  const counted = paths.slice(0, MAX_COUNTED);
  if (counted.length === 0) return [];
  const search = (...how: readonly string[]): Promise<string> =>
    git(['grep', '--untracked', '--no-full-name', '--no-color', '-z', ...how, '-e', '', '--', ...counted], {
      mayEndWithOne: true,
    });
  const [texts, empty] = await Promise.all([search('-I', '--count'), search('-a', '--files-without-match')]);
  const added = new Map(records(empty).map((path) => [path, 0]));
  // `PATH<NUL>COUNT<LF>`
  for (const [, path = '', count] of texts.matchAll(/([^\0]+)\0(\d+)\n/g)) added.set(path, Number(count));
  return paths.map((path) => ({ path, added: added.get(path), removed: added.has(path) ? 0 : undefined }));
}

/** The way back of such a file is to nothing. */
function newFileDiff(path: string): readonly string[] {
  return [...PLAIN_DIFF, '--no-index', '-R', '--', '/dev/null', path];
}

function byPath(one: ReviewFile, other: ReviewFile): number {
  return one.path < other.path ? -1 : 1;
}

/** Binary files have a dash. */
function lines(count: string): number | undefined {
  return /^\d+$/.test(count) ? Number(count) : undefined;
}

/** The beginning of a long diff. A file of which git can give none takes nothing else of the review along. */
async function readDiff(git: Git, args: readonly string[], how: GitOptions = {}): Promise<string> {
  try {
    return (await askForBeginning(git, args, { ...how, chars: MAX_DIFF })).text;
  } catch (thrown) {
    if (hasFailed(thrown)) return `(${thrown.message})`;
    throw thrown;
  }
}

/** Of the files that were there before and are not binary. */
async function symbolsBefore(
  { git, outline }: ReviewOrder,
  base: string,
  files: readonly ReviewFile[],
): Promise<string> {
  const tree = await git(['ls-tree', '-r', '-l', '-z', base]);
  const before = new Map(records(tree).map(readEntry));
  const blocks: string[] = [];
  for (const { path, added } of files.slice(0, MAX_OUTLINED)) {
    const entry = before.get(path);
    if (added === undefined || !entry || entry.size > MAX_OUTLINED_BYTES) continue;
    const { object } = entry;
    const block = await outline({ path, object, read: () => git(['cat-file', 'blob', object]) });
    if (block !== undefined) blocks.push(block);
  }
  return blocks.join('\n');
}

/** `MODE TYPE OBJECT SIZE<TAB>PATH`; what is no file has no size. */
function readEntry(record: string): readonly [string, { readonly object: string; readonly size: number }] {
  const tab = record.indexOf('\t');
  const [, type, object = '', size = ''] = record.slice(0, tab).split(/ +/);
  return [record.slice(tab + 1), { object, size: type === 'blob' ? Number(size) : Infinity }];
}

function records(text: string): string[] {
  return text.split('\0').filter((record) => record !== '');
}
