import { SkeinError } from '../../core/errors.ts';
import type { RandomBytes } from '../../core/ids.ts';
import type { PromptyAgent } from '../../core/prompty-agent.ts';
import type { PromptyMessage } from '../../core/prompty-message.ts';
import type { Redactor } from '../../core/redactor.ts';
import { describeCall, describeResult } from './describe-call.ts';
import { errorInFile } from './error-in-file.ts';
import { createNonces } from './nonces.ts';
import { promptyParser, type Parser } from './parse-messages.ts';
import type { Prompty } from './prompty.ts';
import { createRegistry, type Registry } from './registry.ts';
import { leaveIn } from './render-context.ts';
import { renderPrompt, renderPromptAsync } from './render-prompt.ts';
import type { RenderedPrompt } from './rendered-prompt.ts';
import { shippedRenderers, type AnyRenderer, type TemplateOptions } from './renderer.ts';
import { toConversation } from './to-conversation.ts';
import { traceCall, traceCallAsync, type TracedWork } from './trace-call.ts';
import { createTracers, type SpanStarter, type TracerProblem } from './tracers.ts';
import type { PromptyInputs } from './validate-inputs.ts';
import { wrongResult } from './wrong-result.ts';

/** What an instance is made from. */
export type PromptyParts = TemplateOptions & {
  /** Secure ones. */
  readonly randomBytes: RandomBytes;
  /** Takes secrets out of what tracers are told. */
  readonly redactor: Pick<Redactor, 'text'>;
  /** Told of tracers that fail. */
  readonly onTracerProblem: (problem: TracerProblem) => void;
};

const NO_INPUTS: PromptyInputs = {};

/** Makes an instance. */
export function assemblePrompty(options: PromptyParts): Prompty {
  const renderers = createRegistry<AnyRenderer>('renderer', shippedRenderers(options));
  const parsers = createRegistry<Parser>('parser', { prompty: promptyParser });
  const { tracers, spans } = createTracers(options.redactor, options.onTracerProblem);
  const parts = { renderers, newNonce: createNonces(options.randomBytes) };
  const render = (agent: PromptyAgent, inputs = NO_INPUTS): RenderedPrompt =>
    spans.isTraced()
      ? traceCall(spans, renderSpan(agent, inputs, options.redactor), () => renderPrompt(parts, agent, inputs))
      : renderPrompt(parts, agent, inputs);
  const renderAsync = async (agent: PromptyAgent, inputs = NO_INPUTS): Promise<RenderedPrompt> =>
    traceCallAsync(spans, renderSpan(agent, inputs, options.redactor), () => renderPromptAsync(parts, agent, inputs));
  const parse = parserOf(parsers, spans);
  return {
    render: (agent, inputs, context) => leaveIn(context, render(agent, inputs)),
    renderAsync: async (agent, inputs, context) => leaveIn(context, await renderAsync(agent, inputs)),
    renderPrompt: render,
    renderPromptAsync: renderAsync,
    parse,
    prepare(agent, inputs) {
      const rendered = render(agent, inputs);
      return { messages: parse(agent, rendered), nonces: rendered.nonces };
    },
    async prepareAsync(agent, inputs) {
      const rendered = await renderAsync(agent, inputs);
      return { messages: parse(agent, rendered), nonces: rendered.nonces };
    },
    toConversation: ({ messages, nonces }) => toConversation(messages, nonces),
    renderers,
    parsers,
    tracers,
  };
}

function renderSpan(
  agent: PromptyAgent,
  inputs: PromptyInputs,
  redactor: PromptyParts['redactor'],
): TracedWork<RenderedPrompt> {
  return {
    name: 'render',
    about: () => describeCall(agent, inputs),
    outcome: ({ text }) => describeResult({ text, agent, inputs, redactor }),
  };
}

function parserOf(parsers: Registry<Parser>, spans: SpanStarter): Prompty['parse'] {
  return (agent, rendered) => {
    const { kind } = agent.template.parser;
    const about = () => ({ 'prompty.name': agent.name, 'prompty.parser': kind });
    const outcome = (messages: readonly PromptyMessage[]) => ({ 'prompty.messages': messages.length });
    return traceCall(spans, { name: 'parse', about, outcome }, () => {
      try {
        const messages = parsers.get(kind).parse(rendered);
        if (Array.isArray(messages)) return messages;
        throw wrongResult({ component: 'parser', key: kind }, 'messages', messages);
      } catch (thrown) {
        // A line it tells is one of the rendered text.
        throw thrown instanceof SkeinError && thrown.where ? thrown : errorInFile(thrown, agent);
      }
    });
  };
}
