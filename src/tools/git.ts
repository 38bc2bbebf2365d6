import { execFile, type ExecFileException } from 'node:child_process';
import { SkeinError } from '../core/errors.ts';

/** Asks git about one folder. */
export type Git = (args: readonly string[], options?: GitOptions) => Promise<string>;

/** Options of one question. */
export type GitOptions = {
  /** Longest answer in bytes; a longer one is refused. */
  readonly maxBytes?: number;
  /** For commands that end with 1 to say that they found something, or nothing: what they printed is the answer. */
  readonly mayEndWithOne?: boolean;
};

const MAX_BYTES = 16 * 1024 * 1024;
const TIMEOUT_MS = 60_000;

/**
 * Asks git, without a shell, a pager or a watcher. Paths are taken as they are written.
 *
 * @throws SkeinError `tool_failed` with the first line git has printed, or because there is no git
 */
export function createGit(folder: string, env: Readonly<Record<string, string | undefined>>): Git {
  return (args, { maxBytes = MAX_BYTES, mayEndWithOne = false } = {}) =>
    new Promise((resolve, reject) => {
      const options = { cwd: folder, env: { ...env, ...QUIET }, maxBuffer: maxBytes, timeout: TIMEOUT_MS };
      execFile('git', [...NO_PROGRAMS, ...args], options, (failure, stdout, stderr) => {
        const isAnswer = !failure || (mayEndWithOne && failure.code === 1 && stderr === '');
        if (isAnswer) resolve(stdout);
        else reject(refusal(args, stderr, failure));
      });
    });
}

/** How a diff is asked for: as git's own text, of this folder, a moved file as one that went and one that came. */
export const PLAIN_DIFF: readonly string[] = [
  'diff',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-renames',
  '--relative',
];

const NO_PROGRAMS = ['--no-pager', '--literal-pathspecs', '-c', 'core.fsmonitor=false', '-c', 'core.quotePath=false'];
/** Git asks nobody, takes no locks it can do without, and speaks the language that is looked for below. */
const QUIET = { GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0', LC_ALL: 'C' };

function refusal([command]: readonly string[], stderr: string, cause: ExecFileException): SkeinError {
  if (cause.code === 'ENOENT') return new SkeinError('tool_failed', 'git is not installed, or not found', { cause });
  const [said = ''] = stderr.trim().split('\n');
  return new SkeinError('tool_failed', `git ${command ?? ''}: ${said || cause.message.split('\n')[0]}`, { cause });
}
