import { toFailure } from '../core/errors.ts';
import { wrapKnowledge } from './wrap-knowledge.ts';
import type { Hook } from './hooks.ts';
import { limitsPayload } from './cost.ts';
import type { Services } from './services.ts';
import type { Thread } from './thread.ts';

/** What `thread_started` hooks add around the directive's prompt, and which hook each part came from. */
export type ContextBlocks = {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly sources: { readonly before: readonly string[]; readonly after: readonly string[] };
};

const NO_BLOCKS: ContextBlocks = { before: [], after: [], sources: { before: [], after: [] } };

/**
 * Runs the `thread_started` hooks (S2 §6.10 `run_hooks_context`): all that match, in order; each loads a knowledge item.
 * An item that is not there is skipped with a warning event.
 */
export function contextBlocks(thread: Thread, services: Services): ContextBlocks {
  const hooks = thread.plan.hooks.get('thread_started');
  if (!hooks || hooks.length === 0) return NO_BLOCKS;
  const context = {
    directive: thread.plan.directive.id,
    directive_body: thread.plan.directive.body,
    model: thread.spec.model,
    limits: limitsPayload(thread),
    inputs: thread.spec.inputs,
  };
  const loaded = hooks
    .filter((hook) => hook.matches(context) && !isSuppressed(hook, thread))
    .flatMap((hook) => loadBlocks(hook, { thread, services }));
  const at = (position: Hook['position']): typeof loaded => loaded.filter((block) => block.position === position);
  return {
    before: at('before').map((block) => block.text),
    after: at('after').map((block) => block.text),
    sources: { before: at('before').map((block) => block.id), after: at('after').map((block) => block.id) },
  };
}

/** `<suppress>` names a hook's id or a full item id (contracts). */
function isSuppressed(hook: Hook, { plan }: Thread): boolean {
  const { suppress } = plan.directive.context;
  return suppress.includes(hook.id) || hook.actions.some(({ itemId }) => suppress.includes(itemId));
}

type Block = { readonly id: string; readonly position: Hook['position']; readonly text: string };

function loadBlocks(hook: Hook, { thread, services }: { thread: Thread; services: Services }): Block[] {
  return hook.actions.flatMap(({ primary, itemType, itemId }) => {
    try {
      if ((primary !== 'load' && primary !== 'fetch') || itemType !== 'knowledge') {
        throw new Error(`A thread_started hook loads knowledge; it can't ${primary} a ${itemType} in this version`);
      }
      const item = services.items.knowledge(itemId);
      const text = hook.wrap ? wrapKnowledge(item) : item.content.trim();
      return [{ id: hook.id, position: hook.position, text }];
    } catch (thrown) {
      const { code, message } = toFailure(thrown, 'not_available');
      services.journal.record(thread, 'warning', { code, message, where: `hook ${hook.id}` });
      return [];
    }
  });
}
