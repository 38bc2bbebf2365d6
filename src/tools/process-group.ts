import { codeOf } from '../core/code-of.ts';

/** How a process is asked to end, and how it is ended. */
export type EndSignal = 'SIGTERM' | 'SIGKILL';

/**
 * Sends a signal to a child and everything it started. The child must have been started `detached`, as the leader of
 * its own group; on Windows, which has no groups, only the child itself is ended.
 */
export function signalGroup(pid: number, signal: EndSignal): void {
  try {
    process.kill(process.platform === 'win32' ? pid : -pid, signal);
  } catch (error) {
    // ESRCH: everyone is gone already. EPERM: macOS says this of a group of zombies. Neither leaves anything to do.
    const code = codeOf(error);
    if (code !== 'ESRCH' && code !== 'EPERM') throw error;
  }
}
