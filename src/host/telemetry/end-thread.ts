import { SpanStatusCode, type Attributes } from '@opentelemetry/api';
import type { ThreadEvent } from '../../core/events.ts';
import { nanoToUsd } from '../../core/money.ts';
import { endCall, endTurn } from './call-spans.ts';
import { endTools } from './step-spans.ts';
import type { Telling } from './telling.ts';
import type { Mistake, ThreadTrace } from './thread-trace.ts';

/** How a thread came to rest. */
export type Rest = {
  readonly status: 'completed' | 'error' | 'cancelled' | 'continued' | 'suspended' | 'interrupted';
  readonly mistake?: Mistake;
  readonly reason?: string;
};

/** Whether an event says that its thread rests, and how. */
export function restOf(event: ThreadEvent): Rest | undefined {
  switch (event.event_type) {
    case 'thread_completed':
      return { status: 'completed' };
    case 'thread_error': {
      const { error } = event.payload;
      return { status: 'error', mistake: { type: error.code, message: error.message } };
    }
    case 'thread_cancelled':
      return { status: 'cancelled' };
    case 'thread_continued':
      return { status: 'continued' };
    case 'thread_suspended':
      return { status: 'suspended', reason: event.payload.suspend_reason };
    default:
      return undefined;
  }
}

/** How a thread rests, as attributes. */
export function restAttributes({ status, reason }: Rest): Attributes {
  return { 'skein.thread.status': status, ...(reason !== undefined && { 'skein.suspend_reason': reason }) };
}

/** Ends a thread's span, and what is open below it. */
export function endThreadSpan(thread: ThreadTrace, how: Rest, telling: Telling): void {
  const { status, mistake } = how;
  endCall(thread, telling, status === 'cancelled' ? { type: 'cancelled', message: '' } : undefined);
  endTools(thread, telling);
  endTurn(thread, telling, status === 'cancelled' || status === 'suspended');
  const { span, used } = thread;
  span.setAttributes({
    ...restAttributes(how),
    ...(mistake && { 'error.type': mistake.type }),
    'gen_ai.usage.input_tokens': used.inputTokens,
    'gen_ai.usage.output_tokens': used.outputTokens,
    'skein.turns': used.turns,
    'skein.spend': nanoToUsd(used.spend),
  });
  if (mistake) span.setStatus({ code: SpanStatusCode.ERROR, message: telling.clean(mistake.message) });
  span.end(new Date(thread.lastAt));
  telling.instruments.threadDuration.record((thread.lastAt - thread.startedAt) / 1000, {
    'gen_ai.operation.name': 'invoke_agent',
    'gen_ai.agent.name': thread.directive,
    ...(mistake && { 'error.type': mistake.type }),
  });
}
