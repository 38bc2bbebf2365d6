import type { Failure } from '../core/errors.ts';
import type { HookEvent } from '../core/hook-events.ts';
import type { Control } from './control.ts';
import type { InWorker } from './conversation.ts';
import { startHookAction } from './hook-action.ts';
import type { Hook } from './hooks.ts';
import { inTurn } from './in-turn.ts';

/** A run of the hooks of one event. */
export type HookRun = InWorker & {
  readonly event: HookEvent;
  /** Builds the event's context; called only when there is a hook to see it. */
  readonly context: () => Readonly<Record<string, unknown>>;
};

/**
 * Runs the hooks of an event in order (S2 §6.10 `run_hooks`). In layers 1 and 2 the first control result wins and the
 * rest of them is skipped; layer 3 always runs and never controls. `done` is called in the same tick unless an action
 * has to leave the worker. A failing action is a warning event, never an end of the thread.
 */
export function runHooks(run: HookRun, done: (control: Control | undefined) => void): void {
  const hooks = run.thread.plan.hooks.get(run.event);
  if (!hooks || hooks.length === 0) return done(undefined);
  const context = run.context();
  let control: Control | undefined;
  inTurn(
    hooks,
    (hook, next) => {
      if ((control && hook.layer !== 3) || !hook.matches(context)) return next();
      runActions({ ...run, hook, context }, (decided) => {
        if (hook.layer !== 3) control ??= decided;
        next();
      });
    },
    () => done(control),
  );
}

type ActionRun = Omit<HookRun, 'context'> & {
  readonly hook: Hook;
  readonly context: Readonly<Record<string, unknown>>;
};

function runActions(run: ActionRun, done: (control: Control | undefined) => void): void {
  let control: Control | undefined;
  inTurn(
    run.hook.actions,
    (action, next) =>
      startHookAction({ ...run, action }, (answer) => {
        if (answer.ok) control ??= answer.value.control;
        else warnOfHook(run, answer.failure);
        next();
      }),
    () => done(control),
  );
}

/** A hook's mistake is a warning event; the log of a thread that has ended takes none, so its embedder is told. */
export function warnOfHook(
  { thread, services, hook }: InWorker & { readonly hook: Hook },
  { code, message }: Failure,
): void {
  const where = `hook ${hook.id}`;
  if (!thread.ended) return services.journal.record(thread, 'warning', { code, message, where });
  const failure = { code, message: `${where} of ${thread.lineage.threadId}: ${message}` };
  services.report({ type: 'problem', failure });
}
