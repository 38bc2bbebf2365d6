import type { EventPayloads } from '../../core/events.ts';
import type { InWorker } from '../conversation/conversation.ts';
import type { HookWaits } from '../hooks/hook-action.ts';
import { obeyControl, type Subject } from '../hooks/obey-control.ts';
import { runHooks } from '../hooks/run-hooks.ts';

/** A call that has its result: `tool` is the id of what ran, `given` has the `output` or `error` as the model gets it. */
export type FinishedCall = {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  readonly given: EventPayloads['tool_call_result'];
};

/** Whoever is told of the hooks of a call. */
type Hearer = { readonly done: () => void; readonly waits: HookWaits };

/**
 * Runs the `after_tool` hooks of a call; `done` is not called if one takes the thread out of its turn. What cuts them off, a
 * suspension of their own included, leaves the call in `unheardCalls`: they are asked again before its model hears of it.
 */
export function runAfterTool({ thread, services }: InWorker, finished: FinishedCall, { done, waits }: Hearer): void {
  const event = 'after_tool';
  if (!thread.plan.hooks.has(event)) return done();
  const { tool, input, given } = finished;
  const { call_id: id, ...result } = given;
  const { threadId } = thread.lineage;
  const context = (): Readonly<Record<string, unknown>> => ({ thread_id: threadId, tool, input, ...result });
  // Several calls of a turn have results: what a person grants is about one of them.
  const subject = (): Subject => ({ id, text: `${tool} ${JSON.stringify(input)}` });
  (thread.unheardCalls ??= new Map()).set(id, finished);
  runHooks({ thread, services, event, context, subject, waits }, (control, by) => {
    if (obeyControl({ thread, services, event, by, subject }, control)) return;
    thread.unheardCalls?.delete(id);
    done();
  });
  // The log says that the call has its result: without a checkpoint nobody would be asked after a crash.
  if (thread.unheardCalls?.has(id)) thread.checkpointDue = true;
}
