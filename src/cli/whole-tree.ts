import { toFailure } from '../core/errors.ts';
import type { OperationResult } from '../core/operations.ts';
import type { Runtime, ThreadId } from '../index.ts';
import { plural } from './format.ts';
import { resultOf } from './operation-answer.ts';

/** The thread whose tree is waited for, and where it is said how many of it go on once the thread itself does not. */
export type Tree = { readonly top: ThreadId; readonly say: (line: string) => void };

/**
 * Waits until nothing in a runtime goes on any more: what it runs has ended, is suspended, or only waits for what is (child
 * policy `wait`). A runtime that is closed meanwhile has suspended the rest.
 */
export async function untilTreeRests(runtime: Runtime, { top, say }: Tree): Promise<void> {
  let asleep: string | undefined;
  let isTopThere = false;
  let isSaid = false;
  try {
    for (;;) {
      const { active_threads: ids, count } = await activeIn(runtime);
      const seen = (await areAsleep(runtime, ids)) ? ids.join() : undefined;
      // An answer on its way to one that waits has come by the second look.
      if (ids.length === 0 || (seen !== undefined && seen === asleep)) return;
      asleep = seen;
      if (isTopThere && !isSaid) say(waitingFor(count));
      isSaid ||= isTopThere;
      isTopThere = await restedForNow(runtime, [top, ...ids]);
    }
  } catch (thrown) {
    if (toFailure(thrown).code !== 'runtime_closed') throw thrown;
  }
}

async function activeIn({ orchestrator }: Runtime): Promise<OperationResult<'list_active'>> {
  return resultOf(await orchestrator.call('list_active', {}));
}

/** Whether somebody is suspended, and all others only wait for threads: no slot is taken, and no hook is asked about a child that has ended. */
async function areAsleep(runtime: Runtime, ids: readonly string[]): Promise<boolean> {
  if (runtime.list({ status: ['suspended'], limit: 1 }).length === 0) return false;
  const { running, queued } = await runtime.view();
  if (running > 0 || queued > 0) return false;
  const standing = await Promise.all(ids.map((id) => runtime.thread(id).status()));
  return standing.every(({ state }) => WAITING.has(state));
}

const WAITING: ReadonlySet<string> = new Set(['running.waitingForChildren', 'running.joining', 'running.ending']);

/** That a thread has come to wait for suspended ones is no end of a wait. */
const LOOK_AGAIN_MS = 1_000;

/** Waits for threads for a while; whether the first of them has ended or is suspended. */
async function restedForNow(runtime: Runtime, ids: readonly string[]): Promise<boolean> {
  // Each alone: threads of one wait may take each other along when one fails. What is listed are ids of this project's threads.
  const waits = ids.map((id) => runtime.waitAll([id as ThreadId], { timeoutMs: LOOK_AGAIN_MS }));
  const [first = []] = await Promise.all(waits);
  return first.every(({ status }) => status !== 'timeout');
}

function waitingFor(count: number): string {
  return `Waiting for ${plural(count, 'other thread')}. Ctrl-C suspends what still runs.`;
}
