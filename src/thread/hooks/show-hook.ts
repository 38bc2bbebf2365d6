import type { Hook } from './hooks.ts';
import type { HookRun } from './run-hooks.ts';

/** Says that the hook's actions are done: what it decided, and the code of a failure. */
export type HookShown = (decision: string | undefined, error: string | undefined) => void;

/** Begins to show a hook's run to whoever looks on; undefined if nobody does. A thread that has ended shows nothing. */
export function showHook({ thread, services, event }: HookRun, hook: Hook): HookShown | undefined {
  const { journal, clock } = services;
  if (!journal.isWatched(thread)) return undefined;
  const start = clock.stopwatch();
  return (decision, error) => {
    if (thread.ended) return;
    journal.record(thread, 'hook_ran', {
      hook: hook.id,
      event,
      duration_ms: Math.round(clock.stopwatch() - start),
      ...(decision !== undefined && { decision }),
      ...(error !== undefined && { error }),
    });
  };
}
