import { toFailure } from '../core/errors.ts';
import { ok, failed, type Result } from '../core/result.ts';
import type { Control } from './control.ts';
import type { ContextPart } from './context-items.ts';
import type { InWorker } from './conversation.ts';
import { limitsPayload } from './cost.ts';
import { startHookAction, type HookActionOrder } from './hook-action.ts';
import { readHookText } from './hook-text.ts';
import type { Hook } from './hooks.ts';
import { inTurn } from './in-turn.ts';
import { usedItem, type ItemRemarks } from './item-remarks.ts';
import { warnOfHook } from './run-hooks.ts';
import type { Thread } from './thread.ts';
import { wrapItem } from './wrap-item.ts';

/** What `thread_started` hooks add around the directive's prompt; a part's source is its hook. */
export type ContextBlocks = { readonly before: ContextPart; readonly after: ContextPart };

const NOTHING: ContextPart = { texts: [], sources: [] };

/**
 * Runs the `thread_started` hooks (S2 §6.10 `run_hooks_context`): all that match, in order; each gives a text. What fails is
 * skipped with a warning event. `done` is called in the same tick if nothing but knowledge is loaded. `remarks` is told of
 * the items that give a text.
 */
export function contextBlocks(worker: InWorker, remarks: ItemRemarks, done: (blocks: ContextBlocks) => void): void {
  const { plan } = worker.thread;
  const hooks = plan.hooks.get('thread_started');
  if (!hooks || hooks.length === 0) return done({ before: NOTHING, after: NOTHING });
  const context = startContext(worker.thread);
  const orders = hooks
    .filter((hook) => hook.matches(context) && !isSuppressed(hook, worker.thread))
    .flatMap((hook) => hook.actions.map((action) => orderOf(worker, { hook, action, context })));
  const blocks: Block[] = [];
  inTurn(
    orders,
    (order, next) =>
      findText(order, remarks, (text) => {
        if (!text.ok) warnOfHook(order, text.failure);
        else if (text.value !== '') blocks.push({ hook: order.hook, text: text.value });
        next();
      }),
    () => done({ before: collect(blocks, 'before'), after: collect(blocks, 'after') }),
  );
}

function startContext(thread: Thread): Readonly<Record<string, unknown>> {
  const { plan, spec } = thread;
  return {
    directive: plan.directive.id,
    directive_body: plan.directive.body,
    model: spec.model,
    limits: limitsPayload(thread),
    inputs: spec.inputs,
  };
}

/** `<suppress>` names a hook's id or a full item id (contracts). */
function isSuppressed(hook: Hook, { plan }: Thread): boolean {
  const { suppress } = plan.directive.context;
  return suppress.includes(hook.id) || hook.actions.some(({ itemId }) => suppress.includes(itemId));
}

type Block = { readonly hook: Hook; readonly text: string };

function collect(blocks: readonly Block[], position: Hook['position']): ContextPart {
  const placed = blocks.filter(({ hook }) => hook.position === position);
  return { texts: placed.map(({ text }) => text), sources: placed.map(({ hook }) => hook.id) };
}

function orderOf(
  { thread, services }: InWorker,
  what: Pick<HookActionOrder, 'hook' | 'action' | 'context'>,
): HookActionOrder {
  return {
    thread,
    services,
    event: 'thread_started',
    depth: (thread.spec.hookDepth ?? 0) + 1,
    own: undefined,
    ...what,
  };
}

function findText(order: HookActionOrder, remarks: ItemRemarks, done: (text: Result<string>) => void): void {
  const { hook, action, thread } = order;
  const mayLoad = hook.rights === 'all' || thread.plan.allows('load', 'knowledge', action.itemId);
  if (action.short === 'knowledge' && mayLoad) return done(loadKnowledge(order, remarks));
  startHookAction(order, (answer) => {
    if (answer.ok && answer.value.control) return done(noControl(answer.value.control));
    done(answer.ok ? readText(order, remarks, answer.value.value) : answer);
  });
}

/** `continue` and `skip` leave things as they are. */
function noControl({ action }: Control): Result<string> {
  if (action === 'continue' || action === 'skip') return ok('');
  const message = `"${action}" means nothing at thread_started: its hooks give context`;
  return failed({ code: 'hook_failed', message });
}

/** The short way: from the cache, since every thread of a project may load such items. */
function loadKnowledge({ hook, action, services }: HookActionOrder, remarks: ItemRemarks): Result<string> {
  try {
    const { name, id, content } = services.items.knowledge(action.itemId);
    remarks.add({ kind: 'knowledge', id });
    return ok(hook.wrap ? wrapItem({ name, id, type: 'knowledge' }, content.trim()) : content.trim());
  } catch (thrown) {
    return failed(toFailure(thrown));
  }
}

function readText(order: HookActionOrder, remarks: ItemRemarks, value: unknown): Result<string> {
  const item = usedItem(order.action, value);
  try {
    if (item) remarks.add(item);
    return readHookText(order, value);
  } catch (thrown) {
    return failed(toFailure(thrown));
  }
}
