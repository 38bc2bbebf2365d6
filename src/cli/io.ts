/** What the command line needs of a stream it writes to. */
export type Terminal = {
  write(text: string): unknown;
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
};

/** The world as a command sees it. */
export type CliIo = {
  /** Results. */
  readonly stdout: Terminal;
  /** Everything about the run: progress, warnings, errors. */
  readonly stderr: Terminal;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Absolute path that relative ones are meant from. */
  readonly cwd: string;
  /** Calls the listener each time the user asks to stop (Ctrl-C, SIGTERM); returns the way to stop listening. */
  onInterrupt(listener: () => void): () => void;
  /** Ends the process at once. */
  exit(code: number): void;
};

/** The io of a real process. */
export function processIo(host: NodeJS.Process): CliIo {
  return {
    stdout: host.stdout,
    stderr: host.stderr,
    env: host.env,
    cwd: host.cwd(),
    onInterrupt(listener) {
      host.on('SIGINT', listener).on('SIGTERM', listener);
      return () => {
        host.off('SIGINT', listener).off('SIGTERM', listener);
      };
    },
    exit: (code) => host.exit(code),
  };
}
