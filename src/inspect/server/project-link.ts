import type { Clock, Timer } from '../../core/clock.ts';
import { SkeinError } from '../../core/errors.ts';
import type { ProjectConnection } from '../../index.ts';

/** The way to a project, whether or not a runtime holds it now. */
export interface ProjectLink {
  /**
   * The connection in use; another one after a runtime has come or gone.
   *
   * @throws SkeinError as `connectProject`; `runtime_closed` after `close`
   */
  connection(): Promise<ProjectConnection>;
  close(): Promise<void>;
}

/** What a link is made from. */
export type LinkOptions = { readonly connect: () => Promise<ProjectConnection>; readonly clock: Clock };

/** How long a project without a runtime is taken to be without one, milliseconds. */
const RECHECK_MS = 3_000;
/** How long those who still work with a connection may go on with it. */
const LEAVE_MS = 5_000;

/** Makes the link; it connects when it is first needed. */
export function createProjectLink({ connect, clock }: LinkOptions): ProjectLink {
  const left = new Map<ProjectConnection, Timer>();
  let current: ProjectConnection | undefined;
  let checkedAt = 0;
  let connecting: Promise<ProjectConnection> | undefined;
  let isClosed = false;

  const leave = (old: ProjectConnection): void => {
    const end = (): void => {
      left.delete(old);
      old.close();
    };
    left.set(old, clock.setTimer(LEAVE_MS, end));
  };
  /** Where nothing better is to be had, what is open is kept: a config file may just be being written. */
  const connectOrKeep = async (): Promise<ProjectConnection> => {
    try {
      return await connect();
    } catch (thrown) {
      if (current?.isOpen) return current;
      throw thrown;
    }
  };
  const renew = async (): Promise<ProjectConnection> => {
    const found = await connectOrKeep();
    checkedAt = clock.stopwatch();
    if (found === current) return found;
    // Nobody runs it, still: what is open is as good.
    if (current?.isOpen && !current.isRun && !found.isRun) {
      found.close();
      return current;
    }
    if (current) leave(current);
    current = found;
    return found;
  };
  return {
    async connection() {
      // Nobody would close another one.
      if (isClosed) throw new SkeinError('runtime_closed', 'The connection to the project is closed');
      const isFresh = current?.isRun ? current.isOpen : clock.stopwatch() - checkedAt < RECHECK_MS;
      if (current && isFresh) return current;
      connecting ??= renew().finally(() => {
        connecting = undefined;
      });
      return connecting;
    },
    async close() {
      isClosed = true;
      // Who asked for the connection hears of its failure.
      await connecting?.catch(() => undefined);
      for (const [old, timer] of left) {
        clock.clearTimer(timer);
        old.close();
      }
      current?.close();
    },
  };
}
