import type { CostPayload } from '../../core/events.ts';
import type { ThreadId } from '../../core/ids.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { obeyControl } from './obey-control.ts';
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

/** What became of a child while its parent was in no worker. */
export type ChildNews = StartedChild | EndedChild;

/** Runs the `child_started` hooks beside what the thread does, and keeps in mind what `child_ended` will say. */
export function childStarted(worker: InWorker, { childId, ...child }: StartedChild): void {
  const { thread } = worker;
  const { hooks } = thread.plan;
  if (hooks.has('child_ended')) (thread.hookedChildren ??= new Map()).set(childId, child);
  if (!hooks.has('child_started')) return;
  const context = { child_thread_id: childId, child_directive: child.directive };
  runBeside(worker, { event: 'child_started', context, child });
}

/** Runs the `child_ended` hooks beside what the thread does. */
export function childEnded(worker: InWorker, { childId, status, cost }: EndedChild): void {
  const { hookedChildren, plan } = worker.thread;
  const child = hookedChildren?.get(childId) ?? { directive: '' };
  hookedChildren?.delete(childId);
  if (!plan.hooks.has('child_ended')) return;
  const context = { child_thread_id: childId, child_directive: child.directive, status, cost };
  runBeside(worker, { event: 'child_ended', context, child });
}

/** Tells a thread that was read back what its hooks have missed. */
export function tellChildNews(worker: InWorker): void {
  const news = worker.thread.childNews ?? [];
  worker.thread.childNews = undefined;
  for (const one of news) {
    if ('directive' in one) childStarted(worker, one);
    else childEnded(worker, one);
  }
}

type Beside = {
  readonly event: 'child_started' | 'child_ended';
  readonly context: Readonly<Record<string, unknown>>;
  readonly child: HookedChild;
};

function runBeside({ thread, services }: InWorker, { event, context, child }: Beside): void {
  const depth = child.hookDepth === undefined ? {} : { depth: child.hookDepth };
  runHooks({ thread, services, event, context: () => context, ...depth }, (control, by) => {
    obeyControl({ thread, services, event, by }, control);
  });
}
