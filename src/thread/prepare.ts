import { assembleFirstMessage, assembleSystem } from '../prompt/first-message.ts';
import { fillInputRefs } from '../items/inputs.ts';
import { estimateTextTokens } from '../providers/pricing.ts';
import type { Effect } from './effects.ts';
import { contextBlocks } from './context-hooks.ts';
import { limitsPayload } from './cost.ts';
import { createModelSink } from './model-sink.ts';
import { addUserMessage } from './conversation.ts';
import type { Thread } from './thread.ts';

/** Builds the first messages (S0 "Message Assembly Order") and says that the thread has started. */
export const prepare: Effect = (thread, services, event) => {
  const { plan, spec, lineage } = thread;
  thread.sink = createModelSink(thread, services);
  startDeadline(thread, services, event);
  thread.system = assembleSystem([]);
  const { journal } = services;
  journal.record(thread, 'thread_started', {
    directive: plan.directive.id,
    model: spec.model,
    limits: limitsPayload(thread),
    inputs: spec.inputs,
    capabilities: spec.capabilities.flat(),
    ...(lineage.parentId !== undefined && { parent_thread_id: lineage.parentId }),
  });
  const blocks = contextBlocks(thread, services);
  if (thread.system !== '') journal.record(thread, 'system_prompt', { text: thread.system, layers: [] });
  if (blocks.sources.before.length + blocks.sources.after.length > 0) {
    journal.record(thread, 'context_injected', blocks.sources);
  }
  thread.contextTokens = estimateTextTokens(thread.system) + plan.paletteTokens;
  addUserMessage(
    { thread, services },
    assembleFirstMessage({
      hookBefore: blocks.before,
      extendsBefore: [],
      directiveBefore: [],
      prompt: promptOf(thread, blocks.sources.before.includes(INSTRUCTION_HOOK)),
      directiveAfter: [],
      hookAfter: blocks.after,
    }),
  );
  thread.send({ type: 'READY' });
};

/** Delivers the directive instruction as context; the rendered prompt leaves it out then (contracts). */
const INSTRUCTION_HOOK = 'ctx_directive_instruction';

function promptOf({ plan, spec }: Thread, hasInstruction: boolean): string {
  const prompt = hasInstruction ? plan.barePrompt : plan.prompt;
  return plan.hasInputRefs ? fillInputRefs(prompt, spec.inputs) : prompt;
}

/** `duration_seconds` also ends a call that hangs: its timer runs from the start, suspensions left out. */
export const startDeadline: Effect = (thread, { clock }) => {
  const max = thread.limits.durationSeconds;
  const left = thread.startedAt + max * 1000 - clock.now();
  thread.deadline = clock.setTimer(Math.max(0, left), () => {
    const hit = { code: 'duration_seconds_exceeded', current: (clock.now() - thread.startedAt) / 1000, max } as const;
    thread.send({ type: 'LIMIT_HIT', hit });
  });
};
