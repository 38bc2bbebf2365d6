import type { Failure } from '../../core/errors.ts';
import { isDecision, type Control } from './control.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { decisionOfFailure } from './failed-hook.ts';
import { startHookAction, type HookActionOrder, type HookAnswer } from './hook-action.ts';
import { writeNote } from './hook-note.ts';
import type { Hook, HookAction } from './hooks.ts';
import { inTurn } from './in-turn.ts';
import type { Decided } from './obey-control.ts';
import { takeGrant } from '../steps/person-answers.ts';
import { showHook } from './show-hook.ts';

type Context = Readonly<Record<string, unknown>>;

/** A run of the hooks of one event. */
export type HookRun = Omit<Decided, 'by'> & {
  /** Builds the event's context; called only when there is a hook to see it. */
  readonly context: () => Context;
  /** Hooks whose actions led to the event; as many as there are above the thread, if nothing is said. */
  readonly depth?: number;
  /** Looks at what an action gave; returns the context that the actions after it see, if that is another. */
  readonly take?: (answer: HookAnswer, by: Hook, action: HookAction) => Context | undefined;
  readonly own?: HookActionOrder['own'];
  readonly waits?: HookActionOrder['waits'];
  /** Whether what the hooks are asked about is none of theirs any more: then no other of them is asked. */
  readonly isOver?: () => boolean;
};

/** Called with what the hooks decided, and whose decision it is; with a failure, that is what it decided. */
export type HooksDone = (control: Control | undefined, by: Hook | undefined, failure: Failure | undefined) => void;

/**
 * Runs the hooks of an event in order (S2 §6.10 `run_hooks`). In layers 1 and 2 the first decision wins and the rest of them
 * is skipped; layer 3 always runs and never controls. What decides nothing ({@link isDecision}) skips nobody, nor does a
 * suspension that a person has granted, which is a "continue" from then on: the first of these counts if no hook decides.
 * `done` is called in the same tick unless an action has to leave the worker.
 * A failing action is a warning event, and a decision where something is to be done after it ({@link decisionOfFailure}).
 */
export function runHooks(run: HookRun, done: HooksDone): void {
  const hooks = run.thread.plan.hooks.get(run.event);
  if (!hooks || hooks.length === 0) return done(undefined, undefined, undefined);
  const context = run.context();
  let first = 0;
  while (isNoted(run, hooks[first], context)) first++;
  if (first === hooks.length) return done(undefined, undefined, undefined);
  runInTurn(run, { hooks: first > 0 ? hooks.slice(first) : hooks, context }, done);
}

type Rest = { readonly hooks: readonly Hook[]; readonly context: Context };

/** The long way. Apart from the short one, which is spared what its closures share. */
function runInTurn(run: HookRun, rest: Rest, done: HooksDone): void {
  const { thread, services, event, take, own, waits } = run;
  const depth = (run.depth ?? thread.spec.own.hookDepth ?? 0) + 1;
  let { context } = rest;
  let control: Control | undefined;
  let by: Hook | undefined;
  let failure: Failure | undefined;
  let passed: { readonly control: Control; readonly by: Hook } | undefined;
  let said: Control | undefined;
  let mistake: Failure | undefined;
  const takeControl = (given: Control, hook: Hook): void => {
    said ??= given;
    if (isDecision(event, given)) [control, by] = [given, hook];
    else passed ??= { control: given, by: hook };
  };
  const runActions = (hook: Hook, next: () => void): void =>
    inTurn(
      hook.actions,
      (action, nextAction) => {
        warnOfIgnored({ thread, services, hook, action });
        startHookAction({ thread, services, event, hook, action, context, depth, own, waits }, (answer) => {
          if (!answer.ok) {
            mistake = answer.failure;
            warnOfHook({ thread, services, hook }, answer.failure);
            const decided = control ? undefined : decisionOfFailure({ services, event, hook, action }, answer.failure);
            if (decided) [control, by, failure] = [decided, hook, answer.failure];
            return nextAction();
          }
          context = take?.(answer.value, hook, action) ?? context;
          if (hook.layer !== 3 && !control && answer.value.control) takeControl(answer.value.control, hook);
          nextAction();
        });
      },
      next,
    );
  inTurn(
    rest.hooks,
    (hook, next) => {
      if ((control && hook.layer !== 3) || run.isOver?.() || !hook.matches(context)) return next();
      said = mistake = undefined;
      const shown = showHook(run, hook);
      runActions(hook, () => {
        const mine = by === hook ? control : undefined;
        shown?.((mine ?? said)?.action, mistake?.code);
        if (mine && takeGrant({ ...run, by }, mine)) {
          passed ??= { control: { action: 'continue' }, by: hook };
          control = by = failure = undefined;
        }
        next();
      });
    },
    () => (passed && !control ? done(passed.control, passed.by, undefined) : done(control, by, failure)),
  );
}

/**
 * The short way, for what may run in every step of every thread: a hook that does nothing but write an event has written it,
 * or does not match. It decides nothing; who looks at it or at its answer, and its mistakes, are for the long way.
 */
function isNoted(run: HookRun, hook: Hook | undefined, context: Context): boolean {
  const note = hook?.actions.length === 1 ? hook.actions[0]?.note : undefined;
  if (!hook || !note || run.take || run.services.journal.isWatched(run.thread)) return false;
  return !hook.matches(context) || writeNote(run, note, context);
}

/** What is ignored in an action is a mistake of whoever wrote it. */
export function warnOfIgnored(of: InWorker & { readonly hook: Hook; readonly action: HookAction }): void {
  for (const message of of.action.ignored) warnOfHook(of, { code: 'hook_failed', message });
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
