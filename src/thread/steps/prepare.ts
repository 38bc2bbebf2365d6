import { messageTexts, sourcesOf, systemTexts } from '../../prompt/prompt-parts.ts';
import { createSession } from '../tiers/assembly-session.ts';
import { tellChildNews, unheardNews } from '../hooks/child-hooks.ts';
import { loadContext, type LoadedContext } from '../plan/context-items.ts';
import { beginSize } from '../conversation/context-size.ts';
import { addUserMessage, type InWorker } from '../conversation/conversation.ts';
import { limitsPayload } from '../cost.ts';
import { startDeadline } from './deadline.ts';
import type { Effect } from './effects.ts';
import { createModelSink } from '../services/model-sink.ts';
import { promptText } from '../plan/prompt-text.ts';
import type { Services } from '../services/services.ts';
import { startWarnings } from '../plan/start-warnings.ts';
import { systemPart, templateBody, type TemplateBody } from '../plan/template-body.ts';
import { takeOver } from '../conversation/take-over.ts';
import type { Thread } from '../thread.ts';

/** Says that the thread has started, and builds its first messages (S0 "Message Assembly Order", S3). */
export const prepare: Effect = (thread, services) => {
  thread.sink = createModelSink(thread, services);
  thread.assembly ??= createSession(thread, services);
  startDeadline(thread, services);
  // One that was stopped while its hooks were still running starts from the beginning.
  if (!thread.announced) recordStart(thread, services);
  else if (!thread.isResumed) services.journal.record(thread, 'thread_resumed', {});
  thread.announced = true;
  const body = templateBody(thread, services);
  const unheard = unheardNews(thread);
  loadContext({ thread, services }, (context) => {
    addFirstMessages({ thread, services }, withSystem(context, systemPart(thread, body)), body);
    // What those that took over had not heard to the end.
    tellChildNews({ thread, services }, unheard);
    thread.send({ type: 'READY' });
  });
  // While it waits for its hooks, everybody can see that it has started.
  if (thread.messages.length === 0) services.journal.flushSoon(thread);
};

function withSystem(context: LoadedContext, parts: LoadedContext['system']): LoadedContext {
  return parts.length === 0 ? context : { ...context, system: [...context.system, ...parts] };
}

function addFirstMessages(
  { thread, services }: InWorker,
  context: LoadedContext,
  body: TemplateBody | undefined,
): void {
  const { journal } = services;
  for (const warning of context.warnings) journal.record(thread, 'warning', warning);
  thread.system = thread.plan.join.system(systemTexts(context));
  if (thread.system !== '') {
    journal.record(thread, 'system_prompt', { text: thread.system, layers: sourcesOf(context.system) });
  }
  const { before, after } = context;
  if (before.length + after.length > 0) {
    journal.record(thread, 'context_injected', { before: sourcesOf(before), after: sourcesOf(after) });
  }
  beginSize(thread);
  const texts = messageTexts(context, promptText(thread, services, { context, body }));
  addUserMessage({ thread, services }, thread.plan.join.message(texts), body?.media);
  takeOver({ thread, services });
}

function recordStart(thread: Thread, services: Services): void {
  const { journal } = services;
  const { plan, lineage } = thread;
  const { shared, own } = thread.spec;
  journal.record(thread, 'thread_started', {
    directive: plan.directive.id,
    model: shared.model,
    limits: limitsPayload(thread),
    inputs: own.inputs,
    ...(shared.extends && { extends: shared.extends }),
    capabilities: plan.capabilityTree,
    ...(lineage.parentId !== undefined && { parent_thread_id: lineage.parentId }),
    ...(lineage.continues !== undefined && { continues: lineage.continues }),
    ...(own.forkedFrom && {
      forked_from: { thread: own.forkedFrom.threadId, sequence: own.forkedFrom.sequence },
    }),
  });
  for (const warning of startWarnings(thread, services)) journal.record(thread, 'warning', warning);
}
