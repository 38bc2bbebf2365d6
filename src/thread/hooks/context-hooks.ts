import { attempt, attemptResult, failed, ok, type Result } from '../../core/result.ts';
import { NO_PARTS, type PlacedParts, type PromptPart } from '../../prompt/prompt-parts.ts';
import type { Control } from './control.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { limitsPayload } from '../cost.ts';
import { startHookAction, type HookActionOrder } from './hook-action.ts';
import { readHookText } from './hook-text.ts';
import { inTurn } from './in-turn.ts';
import { usedItem, type ItemRemarks } from '../plan/item-remarks.ts';
import { warnOfHook, warnOfIgnored } from './run-hooks.ts';
import type { Thread } from '../thread.ts';

/**
 * Runs the hooks that give texts (S2 §6.10 `run_hooks_context`): those of `build_system_prompt`, then those of
 * `thread_started`, or of `thread_continued` in a successor; all that match, in order. What fails is skipped with a warning
 * event. `done` is called in the same tick if nothing but knowledge is loaded. `remarks` is told of the items that give a
 * text.
 */
export function contextBlocks(worker: InWorker, remarks: ItemRemarks, done: (blocks: PlacedParts) => void): void {
  const start = worker.thread.lineage.continues === undefined ? 'thread_started' : 'thread_continued';
  const orders: HookActionOrder[] = [];
  addOrders(orders, worker, 'build_system_prompt');
  addOrders(orders, worker, start);
  if (orders.length === 0) return done(NO_PARTS);
  const blocks: Record<keyof PlacedParts, PromptPart[]> = { system: [], before: [], after: [] };
  inTurn(
    orders,
    (order, next) =>
      findText(order, remarks, (text) => {
        if (!text.ok) warnOfHook(order, text.failure);
        else if (text.value.text !== '') blocks[placeOf(order)].push(partOf(order, text.value));
        next();
      }),
    () => done(blocks),
  );
}

type StartEvent = 'build_system_prompt' | 'thread_started' | 'thread_continued';

function addOrders(orders: HookActionOrder[], { thread, services }: InWorker, event: StartEvent): void {
  const hooks = thread.plan.hooks.get(event);
  if (!hooks || hooks.length === 0) return;
  // `<suppress>` names a hook's id or a full item id (contracts); of several actions the others still speak.
  const { suppress } = thread.plan.context;
  const context = startContext(thread, event);
  const depth = (thread.spec.own.hookDepth ?? 0) + 1;
  for (const hook of hooks) {
    if (suppress.has(hook.id) || !hook.matches(context)) continue;
    for (const action of hook.actions) {
      if (suppress.has(action.itemId)) continue;
      orders.push({ thread, services, event, hook, action, context, depth, own: undefined });
    }
  }
}

function startContext(thread: Thread, event: StartEvent): Readonly<Record<string, unknown>> {
  const { plan, spec, lineage } = thread;
  return {
    directive: plan.directive.id,
    ...(event !== 'build_system_prompt' && { directive_body: plan.directive.body }),
    model: spec.shared.model,
    limits: limitsPayload(thread),
    inputs: spec.own.inputs,
    ...(event === 'thread_continued' && { previous_thread_id: lineage.continues }),
  };
}

/** What an action says, and the knowledge item that it says it with, if it does. */
type HookText = Pick<PromptPart, 'text' | 'item' | 'space'>;

const NOTHING: HookText = { text: '', item: undefined, space: undefined };

function partOf({ hook }: HookActionOrder, { text, item, space }: HookText): PromptPart {
  return { source: hook.id, item, space, declaredBy: undefined, text };
}

function placeOf({ event, hook }: HookActionOrder): keyof PlacedParts {
  return event === 'build_system_prompt' ? 'system' : hook.position;
}

function findText(order: HookActionOrder, remarks: ItemRemarks, done: (text: Result<HookText>) => void): void {
  const { hook, action, thread } = order;
  const mayLoad = hook.rights === 'all' || thread.plan.allows('load', 'knowledge', action.itemId);
  if (action.short === 'knowledge' && mayLoad) return done(loadKnowledge(order, remarks));
  warnOfIgnored(order);
  startHookAction(order, (answer) => {
    if (!answer.ok) return done(answer);
    const { value, control } = answer.value;
    if (isSuppressed(order, value)) return done(ok(NOTHING));
    done(control ? noControl(order, control) : readText(order, remarks, value));
  });
}

/** Of an item that stands in the params, which may depend on an input, it is only known afterwards. */
function isSuppressed({ action, thread }: HookActionOrder, value: unknown): boolean {
  const used = usedItem(action, value);
  return used !== undefined && thread.plan.context.suppress.has(used.id);
}

/** `continue` and `skip` leave things as they are. */
function noControl({ event }: HookActionOrder, { action }: Control): Result<HookText> {
  if (action === 'continue' || action === 'skip') return ok(NOTHING);
  const message = `"${action}" means nothing at ${event}: its hooks give context`;
  return failed({ code: 'hook_failed', message });
}

/** The short way: from the cache, since every thread of a project may load such items. */
function loadKnowledge({ hook, action, services, thread }: HookActionOrder, remarks: ItemRemarks): Result<HookText> {
  return attempt(() => {
    const item = services.items.knowledge(action.itemId);
    remarks.add({ kind: 'knowledge', id: item.id });
    return { text: thread.plan.knowledgeText(item, hook.wrap), item: item.id, space: item.space };
  });
}

function readText(order: HookActionOrder, remarks: ItemRemarks, value: unknown): Result<HookText> {
  const used = usedItem(order.action, value);
  return attemptResult(() => {
    if (used) remarks.add(used);
    const text = readHookText(order, value);
    if (!text.ok) return text;
    if (used?.kind !== 'knowledge') return ok({ ...NOTHING, text: text.value });
    const { id, space } = order.services.items.knowledge(used.id, used.source);
    return ok({ text: text.value, item: id, space });
  });
}
