import { spawn, type ChildProcess } from 'node:child_process';

/**
 * Told of process groups as they come and go: `+ <pid>`, `- <pid>`. When its stdin ends (the worker or the whole
 * runtime is gone, even by SIGKILL) it kills those that are left.
 */
const SCRIPT = `
live=
while read -r verb pid; do
  case $verb in
    +) live="$live $pid" ;;
    -) kept=; for one in $live; do [ "$one" = "$pid" ] || kept="$kept $one"; done; live=$kept ;;
  esac
done
for one in $live; do kill -s KILL -- "-$one" 2>/dev/null; done
`;

/** Kills MCP servers whose worker died without a chance to do so itself; tools have their launcher for that. */
export interface OrphanGuard {
  watch(pid: number): void;
  forget(pid: number): void;
  /** Ends it, and with it whatever it still watches. One that is closed starts again with the next process it is told of. */
  close(): void;
}

/**
 * Makes a guard: one small shell, started with the first server and ended by `close` or with the worker. It never keeps the
 * worker alive. On Windows there is no guard.
 */
export function createOrphanGuard(): OrphanGuard {
  let shell: ChildProcess | undefined;
  return {
    watch(pid) {
      if (process.platform === 'win32') return;
      shell ??= startShell();
      shell.stdin?.write(`+ ${pid}\n`);
    },
    forget: (pid) => void shell?.stdin?.write(`- ${pid}\n`),
    close() {
      shell?.stdin?.end();
      shell = undefined;
    },
  };
}

function startShell(): ChildProcess {
  const shell = spawn('/bin/sh', ['-c', SCRIPT, 'skein-orphan-guard'], {
    stdio: ['pipe', 'ignore', 'ignore'],
    // In a group of its own: an interrupt from the terminal must not end it before the servers.
    detached: true,
    env: {},
    cwd: '/',
  });
  // Without the guard, servers still end with the worker in all but a hard kill: its own failure must stop nothing.
  shell.on('error', () => {});
  shell.stdin?.on('error', () => {});
  shell.unref();
  // A child's pipe is a socket at run time; the type does not say so.
  (shell.stdin as { unref?: () => void } | null)?.unref?.();
  return shell;
}
