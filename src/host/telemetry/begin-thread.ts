import { trace, type Attributes, type Link } from '@opentelemetry/api';
import type { ThreadId } from '../../core/ids.ts';
import { modelAttributes } from './gen-ai.ts';
import type { Telling } from './telling.ts';
import type { ThreadTrace } from './thread-trace.ts';

/** What a thread's span begins with. */
export type Born = Pick<ThreadTrace, 'directive' | 'model' | 'parent' | 'tools'> & {
  readonly links: readonly Link[];
  readonly at: number;
};

/** Begins a thread's span. */
export function beginThread(id: ThreadId, born: Born, { tracer }: Telling): ThreadTrace {
  const { directive, model, parent, links, at, tools } = born;
  const attributes: Attributes = {
    'gen_ai.operation.name': 'invoke_agent',
    ...modelAttributes(model),
    'gen_ai.agent.name': directive,
    'gen_ai.conversation.id': id,
    'skein.thread.id': id,
    'skein.directive': directive,
  };
  const options = { startTime: new Date(at), attributes, links: [...links] };
  const span = tracer.startSpan(`invoke_agent ${directive}`, options, parent);
  const context = trace.setSpan(parent, span);
  const place = { id, directive, span, context, parent, startedAt: at, lastAt: at };
  const used = { turns: 0, inputTokens: 0, outputTokens: 0, spend: 0 };
  return { ...place, model, turn: undefined, call: undefined, tools, used, said: [], system: undefined };
}
