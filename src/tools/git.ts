import { execFile, type ExecFileException } from 'node:child_process';
import { existsSync } from 'node:fs';
import { SkeinError } from '../core/errors.ts';
import { isRecord } from '../core/record.ts';
import { childEnv, type Env } from './child-env.ts';

/** Asks git about one folder. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<string>;

/** Options of one question. */
export type GitOptions = {
  /** Longest answer in bytes; a longer one is refused. */
  readonly maxBytes?: number;
  /** A longer answer is cut there instead, at any character, and git is told to stop. */
  readonly mayBeCut?: boolean;
  /** For commands that end with 1 to say that they found something, or nothing: what they printed is the answer. */
  readonly mayEndWithOne?: boolean;
};

const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/**
 * Asks git, without a shell, a pager or a watcher. Paths are taken as they are written. Whatever the repository's settings
 * say, git runs no program but itself for what is asked here, and of the environment it gets what tools get, where a repository
 * and git's settings are, and settings that stand there themselves.
 *
 * So files are compared as they lie on the disk, not as a filter would have them stored: with Git LFS, git-crypt and the
 * like, a file differs in its whole content unless git knows by its time and size that it was not changed (what it knows is
 * brought up to date by any `git status`). A submodule differs if another commit is checked out in it, not for what was
 * changed in its files. And what a partial clone has not fetched yet is missing: git fails.
 *
 * @throws SkeinError `tool_failed` with what git has said of it, or because there is no git or no such folder
 */
export function createGit(folder: string, env: Env): Git {
  const settingsGiven = Object.keys(env).filter((name) => GIVEN.test(name));
  const ask = askIn(folder, { ...childEnv(env, [...KEPT, ...settingsGiven]), ...QUIET });
  return async (args, options = {}) => {
    const settings = readsFiles(args) ? await noFilters(ask) : [];
    return ask({ args, settings, options });
  };
}

/** Of UTF-8. */
const MAX_CHAR_BYTES = 4;

/** The beginning of an answer, so many characters of it at most; of one that is cut, whole lines if one fits, and that there was more. */
export async function askForBeginning(
  git: Git,
  args: readonly string[],
  { chars, ...how }: GitOptions & { readonly chars: number },
): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const answer = await git(args, { ...how, maxBytes: MAX_CHAR_BYTES * (chars + 1), mayBeCut: true });
  if (answer.length <= chars) return { text: answer, isCut: false };
  const end = answer.lastIndexOf('\n', chars);
  // A first line that is longer is itself cut.
  const text = answer.slice(0, end === -1 ? chars : end).toWellFormed();
  return { text: `${text}\n(The rest is not shown)`, isCut: true };
}

/** Whether it was asked, and ended by itself without an answer; false where it was stopped, crashed or could not be started. */
export function hasFailed(thrown: unknown): thrown is SkeinError {
  if (!(thrown instanceof SkeinError) || thrown.code !== 'tool_failed') return false;
  const { cause } = thrown;
  return isRecord(cause) && cause['killed'] !== true && typeof cause['code'] === 'number';
}

/** How a diff is asked for: as git's own text, of this folder, a moved file as one that went and one that came. */
export const PLAIN_DIFF: readonly string[] = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-renames',
  '--relative',
  // To look into it, another git would be started there, which is not told what this one is.
  '--ignore-submodules=dirty',
  '--submodule=short',
];

type Question = {
  readonly args: readonly string[];
  /** Settings beyond {@link NO_PROGRAMS}, as options. */
  readonly settings: readonly string[];
  readonly options: GitOptions;
};
type Ask = (question: Question) => Promise<string>;

function askIn(cwd: string, env: Env): Ask {
  return ({ args, settings, options }) =>
    new Promise((resolve, reject) => {
      const { maxBytes: maxBuffer = MAX_BYTES } = options;
      const words = [...NO_PROGRAMS, ...settings, ...args];
      execFile('git', words, { cwd, env, maxBuffer, timeout: TIMEOUT_MS }, (failure, stdout, stderr) => {
        if (!failure || isAnswer(failure, { stdout, stderr }, options)) resolve(stdout);
        else reject(failure.code === 'ENOENT' ? unstarted(cwd, failure) : refusal(args, stderr, failure));
      });
    });
}

/** Git also has warnings, which are no failures. */
const FAILURE = /^(?:error|fatal):/m;

type Printed = { readonly stdout: string; readonly stderr: string };

function isAnswer({ code }: ExecFileException, { stdout, stderr }: Printed, options: GitOptions): boolean {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return options.mayBeCut === true && stdout !== '';
  return options.mayEndWithOne === true && code === 1 && (stdout !== '' || !FAILURE.test(stderr));
}

/** As git would store them: the one command here that does, unless it compares what is stored already. */
function readsFiles(args: readonly string[]): boolean {
  // What follows may be a file of that name.
  const options = args.includes('--') ? args.slice(0, args.indexOf('--')) : args;
  return args[0] === 'diff' && !options.includes('--cached');
}

/**
 * Filters can't be switched off as such, only one by one: a command that is empty is not run. The settings of the repository
 * are asked each time, since they may have another filter by now.
 */
async function noFilters(ask: Ask): Promise<readonly string[]> {
  const args = ['config', '-z', '--name-only', '--get-regexp', String.raw`^filter\..*\.`];
  const listed = await ask({ args, settings: [], options: { mayEndWithOne: true } });
  const settings = listed.split('\0').map((name) => name.slice(0, Math.max(0, name.lastIndexOf('.'))));
  const filters = [...new Set(settings)].filter((filter) => filter !== '');
  // In an option such a name would be another one's.
  const odd = filters.find((filter) => filter.includes('='));
  if (odd !== undefined) throw new SkeinError('tool_failed', `git diff: the filter ${odd} has = in its name`);
  return filters.flatMap((filter) =>
    ['clean=', 'process=', 'required=false'].flatMap((setting) => ['-c', `${filter}.${setting}`]),
  );
}

/** Programs that settings of a repository can name, and what such settings may keep git from answering. */
const NO_PROGRAMS = [
  '--no-pager',
  '--literal-pathspecs',
  ...[
    'core.fsmonitor=false',
    'core.hooksPath=/dev/null',
    'log.showSignature=false',
    // No folder becomes a repository by files that somebody has written into it.
    'safe.bareRepository=explicit',
    'core.quotePath=false',
    'core.safecrlf=false',
    'submodule.recurse=false',
  ].flatMap((setting) => ['-c', setting]),
];

/** Of the environment beyond what tools get: where things are. A hook of git, for one, names its index so. */
const KEPT = [
  'GIT_DIR',
  'GIT_WORK_TREE',
  'GIT_INDEX_FILE',
  'GIT_COMMON_DIR',
  'GIT_NAMESPACE',
  'GIT_OBJECT_DIRECTORY',
  'GIT_ALTERNATE_OBJECT_DIRECTORIES',
  'GIT_CEILING_DIRECTORIES',
  'GIT_DISCOVERY_ACROSS_FILESYSTEM',
  'GIT_CONFIG_GLOBAL',
  'GIT_CONFIG_SYSTEM',
  'GIT_CONFIG_NOSYSTEM',
  'GIT_EXEC_PATH',
  'XDG_CONFIG_HOME',
  // By which git knows whose repository it may read.
  'SUDO_UID',
];

/** Settings that the environment gives; those above have the last word. */
const GIVEN = /^GIT_CONFIG_(?:PARAMETERS|COUNT|(?:KEY|VALUE)_\d+)$/;

/** Git asks nobody, fetches nothing, takes no locks it can do without, and speaks the language that is looked for above. */
const QUIET = {
  GIT_TERMINAL_PROMPT: '0',
  GIT_NO_LAZY_FETCH: '1',
  GIT_ALLOW_PROTOCOL: 'none',
  GIT_OPTIONAL_LOCKS: '0',
  LC_ALL: 'C',
};

/** Of a program and of the folder it is to run in, the system does not say which of them is missing. */
function unstarted(cwd: string, cause: ExecFileException): SkeinError {
  if (existsSync(cwd)) return new SkeinError('tool_failed', 'git is not installed, or not found', { cause });
  return new SkeinError('tool_failed', 'git is asked about a folder that is not there', {
    where: { file: cwd },
    cause,
  });
}

function refusal([command]: readonly string[], stderr: string, cause: ExecFileException): SkeinError {
  const lines = stderr.trim().split('\n');
  const said = lines.find((line) => FAILURE.test(line)) ?? lines[0];
  return new SkeinError('tool_failed', `git ${command ?? ''}: ${said || cause.message.split('\n')[0]}`, { cause });
}
