import type { Readable, Writable } from 'node:stream';
import { SkeinError } from '../core/errors.ts';

/** What the command line needs of a stream it writes to. */
export type Terminal = {
  /** False: it has more to do than it likes; `drain` says when it has not. */
  write(text: string): unknown;
  once?(event: 'drain', listener: () => void): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** The streams of a process, for a command that speaks a protocol. */
export type Streams = { readonly stdin: Readable; readonly stdout: Writable };

/** The world as a command sees it. */
export type CliIo = {
  /** Absent where there is no process whose streams they are. */
  readonly streams?: () => Streams;
  /** Results. */
  readonly stdout: Terminal;
  /** Everything about the run: progress, warnings, errors. */
  readonly stderr: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path that relative ones are meant from. */
  readonly cwd: string;
  /** Calls the listener each time the user asks to stop (Ctrl-C, SIGTERM); returns the way to stop listening. */
  onInterrupt(listener: () => void): () => void;
  /** Calls the listener with each key that is pressed; returns the way to stop. Absent where there is no process. */
  onKey?(listener: (key: string) => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
};

/** The io of a real process. @throws SkeinError `not_available`: the folder it was started in is gone */
export function processIo(host: NodeJS.Process): CliIo {
  return {
    // Looking at stdin opens it.
    streams: () => host,
    stdout: host.stdout,
    stderr: host.stderr,
    env: host.env,
    cwd: workingFolder(host),
    onInterrupt(listener) {
      host.on('SIGINT', listener).on('SIGTERM', listener);
      return () => {
        host.off('SIGINT', listener).off('SIGTERM', listener);
      };
    },
    onKey: (listener) => listenToKeys(host, listener),
    exit: (code) => host.exit(code),
  };
}

function workingFolder(host: NodeJS.Process): string {
  try {
    return host.cwd();
  } catch (cause) {
    throw new SkeinError('not_available', 'The working folder is not there any more', { cause });
  }
}

/** Keys as they are pressed, those with a sequence of their own whole; Ctrl-C is one of them meanwhile. None where stdin is no terminal. */
function listenToKeys({ stdin }: NodeJS.Process, listener: (key: string) => void): () => void {
  if (!stdin.isTTY) return () => undefined;
  const take = (pressed: Buffer): void => {
    for (const [key] of String(pressed).matchAll(KEYS)) listener(key);
  };
  stdin.setRawMode(true).on('data', take);
  return () => {
    stdin.off('data', take).setRawMode(false).pause();
  };
}

// oxlint-disable-next-line no-control-regex -- what a terminal sends
const KEYS = /\u001B(?:O.|\[[\d;]*.)?|[^]/gu;
