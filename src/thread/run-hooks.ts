import { toFailure, type Failure } from '../core/errors.ts';
import type { EventType } from '../core/events.ts';
import { controlSchema, type Control } from './control.ts';
import type { HookEvent } from '../config/hooks.ts';
import type { Hook, HookAction } from './hooks.ts';
import type { Services } from './services.ts';
import type { Thread } from './thread.ts';

const INTERNAL = 'rye/agent/threads/internal/';
const CONTROL = `${INTERNAL}control`;
const EMITTER = `${INTERNAL}emitter`;

/** A run of the hooks of one event. */
export type HookRun = {
  readonly thread: Thread;
  readonly services: Services;
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
  const step = (index: number): void => {
    for (let at = index; at < hooks.length; at++) {
      const hook = hooks[at];
      if (!hook || (control && hook.layer !== 3) || !hook.matches(context)) continue;
      let waits = true;
      let early = true;
      runActions({ run, hook, context }, (result) => {
        if (hook.layer !== 3) control ??= result;
        waits = false;
        if (!early) step(at + 1);
      });
      early = false;
      if (waits) return;
    }
    done(control);
  };
  step(0);
}

type ActionRun = { readonly run: HookRun; readonly hook: Hook; readonly context: Readonly<Record<string, unknown>> };

function runActions(action: ActionRun, done: (control: Control | undefined) => void): void {
  const { actions } = action.hook;
  const step = (index: number, control: Control | undefined): void => {
    const next = actions[index];
    if (!next) return done(control);
    runAction(action, next, (result) => step(index + 1, control ?? result));
  };
  step(0, undefined);
}

function runAction(
  { run, hook, context }: ActionRun,
  action: HookAction,
  done: (control: Control | undefined) => void,
): void {
  const { thread, services } = run;
  const warn = (failure: Failure): void => {
    services.journal.record(thread, 'warning', {
      code: failure.code,
      message: failure.message,
      where: `hook ${hook.id}`,
    });
    done(undefined);
  };
  try {
    const params = action.params(context);
    if (action.hostFunction !== undefined) {
      const input = { event: run.event, context, params };
      const question = {
        type: 'hostCall',
        kind: 'hook',
        name: action.hostFunction,
        input,
        threadId: thread.lineage.threadId,
      } as const;
      services.host.ask(
        question,
        (answer) => (answer.ok ? done(readControl(answer.value)) : warn(answer.failure)),
        hook.timeoutMs,
      );
      return;
    }
    if (action.itemId === CONTROL) return done(readControl(params));
    if (action.itemId === EMITTER) return done(emit(thread, services, params));
    warn({ code: 'not_available', message: `A hook can't ${action.primary} ${action.itemId} in this version` });
  } catch (thrown) {
    warn(toFailure(thrown, 'hook_failed'));
  }
}

/** Only a well-formed control result controls; anything else a function returns is no opinion. */
function readControl(value: unknown): Control | undefined {
  const parsed = controlSchema.safeParse(value);
  return parsed.success ? parsed.data : undefined;
}

/** What a hook may emit: everything else is the runtime's own word, which history, money and replay rely on. */
const EMITTABLE: ReadonlySet<string> = new Set([
  'checkpoint_saved',
  'warning',
  'error_classified',
  'cognition_reasoning',
]);

function emit(thread: Thread, { journal, eventPolicies }: Services, params: unknown): undefined {
  const { event_type: type, payload } = (params ?? {}) as { event_type?: unknown; payload?: unknown };
  if (typeof type !== 'string' || !eventPolicies.has(type) || !EMITTABLE.has(type)) {
    journal.record(thread, 'warning', { code: 'hook_failed', message: `A hook may not emit "${String(type)}"` });
    return undefined;
  }
  // The name was just found among the declared events; its payload is the hook author's.
  journal.record(thread, type as EventType, payload ?? {});
  return undefined;
}
