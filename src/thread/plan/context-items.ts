import { SkeinError } from '../../core/errors.ts';
import type { ContextItem } from '../../prompt/compose-context.ts';
import { arrangeParts, NO_PARTS, type PlacedParts, type PromptPart } from '../../prompt/prompt-parts.ts';
import { contextBlocks } from '../hooks/context-hooks.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { createItemRemarks, type ItemRemarks } from './item-remarks.ts';
import type { ThreadWarning } from './start-warnings.ts';

/** What stands in the system message, and around the prompt in the first user message. */
export type LoadedContext = PlacedParts & {
  /** What the trust policy says about the items in it, once for each item. */
  readonly warnings: readonly ThreadWarning[];
};

/**
 * Loads what hooks and the `<context>` of the directive and its chain put into the prompt, in order (S0, S3). `done` is
 * called in the same tick if no hook has to leave the worker.
 *
 * @throws SkeinError `item_not_found` for a missing item of `<context>`; a hook's missing item is a warning event
 */
export function loadContext(worker: InWorker, done: (context: LoadedContext) => void): void {
  const told = worker.thread.plan.trustRemarks.map(({ message }) => message);
  const remarks = createItemRemarks(worker.services.items, told);
  const declared = loadItems(worker, remarks);
  contextBlocks(worker, remarks, (hooks) => done({ ...arrangeParts(hooks, declared), warnings: remarks.warnings() }));
}

function loadItems(worker: InWorker, remarks: ItemRemarks): PlacedParts {
  const { context } = worker.thread.plan;
  if (context.system.length + context.before.length + context.after.length === 0) return NO_PARTS;
  const load = (wanted: readonly ContextItem[], wrap: boolean): PromptPart[] =>
    wanted.map((item) => loadItem({ ...item, wrap }, worker, remarks)).filter(({ text }) => text !== '');
  return {
    system: load(context.system, false),
    before: load(context.before, true),
    after: load(context.after, true),
  };
}

type Wanted = ContextItem & { readonly wrap: boolean };

function loadItem({ wrap, declaredBy, ...wanted }: Wanted, worker: InWorker, remarks: ItemRemarks): PromptPart {
  try {
    const item = worker.services.items.knowledge(wanted.id);
    const { id, space } = item;
    remarks.add({ kind: 'knowledge', id });
    return { source: id, item: id, space, declaredBy, text: worker.thread.plan.knowledgeText(item, wrap) };
  } catch (thrown) {
    if (!(thrown instanceof SkeinError)) throw thrown;
    throw new SkeinError(thrown.code, `<context> of ${declaredBy}: ${thrown.message}`, { cause: thrown });
  }
}
