import type { CostPayload } from '../../core/cost-payload.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { isDecision } from './control.ts';
import { obeyControl, warnOfControl, type Subject } from './obey-control.ts';
import { runHooks } from './run-hooks.ts';

/** A child whose end is to be told to hooks. */
export type HookedChild = {
  readonly directive: string;
  /** Number of hooks that led to it; undefined = none below those above its parent. */
  readonly hookDepth?: number;
};

/** A child that was started. */
export type StartedChild = HookedChild & { readonly childId: ThreadId };

/** A child that has ended. */
export type EndedChild = { readonly childId: ThreadId; readonly status: string; readonly cost: CostPayload };

/** What became of a child, as far as hooks are to hear of it. */
export type ChildNews = StartedChild | EndedChild;

/**
 * Runs the `child_started` hooks beside what the thread does, and keeps in mind what `child_ended` will say. True if
 * they took it out of that at once.
 */
export function childStarted(worker: InWorker, news: StartedChild): boolean {
  const { thread } = worker;
  const { childId, ...child } = news;
  const { hooks } = thread.plan;
  if (hooks.has('child_started') || hooks.has('child_ended')) (thread.hookedChildren ??= new Map()).set(childId, child);
  return runBeside(worker, { event: 'child_started', news, child });
}

/** Runs the `child_ended` hooks beside what the thread does. True if they took it out of that at once. */
export function childEnded(worker: InWorker, news: EndedChild): boolean {
  const { hookedChildren } = worker.thread;
  const { childId, ...ending } = news;
  const child = hookedChildren?.get(childId) ?? { directive: '' };
  return runBeside(worker, { event: 'child_ended', news, child, ending });
}

/** What hooks have not heard, or not to the end. */
export function unheardNews({ childNews }: InWorker['thread']): readonly ChildNews[] {
  return [...(childNews ?? [])];
}

/**
 * Tells a thread's hooks what they have missed; where they may be hearing other news already, `news` is what they had not heard
 * before. If they stop it, they hear of the rest next time.
 */
export function tellChildNews(worker: InWorker, news = unheardNews(worker.thread)): void {
  for (const one of news) {
    if (!worker.thread.childNews?.has(one)) continue;
    if ('directive' in one ? childStarted(worker, one) : childEnded(worker, one)) return;
  }
}

type Beside = {
  readonly event: 'child_started' | 'child_ended';
  readonly news: ChildNews;
  readonly child: HookedChild;
  readonly ending?: Pick<EndedChild, 'status' | 'cost'>;
};

function runBeside({ thread, services }: InWorker, { event, news, child, ending }: Beside): boolean {
  // Until then it may have to be told once more.
  const isHeard = (): void => {
    thread.childNews?.delete(news);
    if (ending) thread.hookedChildren?.delete(news.childId);
  };
  if (!thread.plan.hooks.has(event)) {
    isHeard();
    return false;
  }
  const { childId } = news;
  const { directive, hookDepth } = child;
  const context = (): Record<string, unknown> => {
    return { child_thread_id: childId, child_directive: directive, ...ending };
  };
  // A thread may have several children at once: what a person grants is about one of them.
  const subject = (): Subject => ({ id: childId, text: `${directive} ${childId}` });
  const depth = hookDepth === undefined ? {} : { depth: hookDepth };
  // What cuts them off, such as a suspension by those of another child, leaves it there.
  (thread.childNews ??= new Set()).add(news);
  // The log says that the child has ended: without a checkpoint nobody would be told after a crash.
  thread.checkpointDue = true;
  let isOut = false;
  runHooks({ thread, services, event, context, subject, ...depth }, (control, by) => {
    isHeard();
    const decided = { thread, services, event, by, subject };
    // It waits for its children alone (ADR 23).
    if (thread.heldEnd && control && isDecision(event, control)) {
      return warnOfControl(decided, control, 'comes when it is decided how the thread ends');
    }
    isOut = obeyControl(decided, control);
    if (!isOut && !thread.childNews?.size) thread.send({ type: 'CHILDREN_HEARD' });
  });
  return isOut;
}
