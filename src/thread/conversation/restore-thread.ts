import { raise } from '../../config/raised-limits.ts';
import { missedChildEvents, withInherited, type ParentLog } from '../../core/child-events.ts';
import { SkeinError, toFailure } from '../../core/errors.ts';
import type { Message } from '../../core/conversation.ts';
import type { SplitSpec } from '../../core/packed-spec.ts';
import type { WaitingThread, WorkerCommand } from '../../core/protocol.ts';
import { failureIn, type StoredChild, type StoredThread, type StoreResult } from '../../core/store.ts';
import { parseSpec } from '../../core/stored-spec.ts';
import { estimateMediaTokens } from '../../providers/media-tokens.ts';
import { estimateMessageTokens } from '../../providers/pricing.ts';
import { createSession } from '../tiers/assembly-session.ts';
import { parseCheckpoint, type UnheardCall } from './checkpoint.ts';
import type { InWorker } from './conversation.ts';
import { rebuildHistory, type History, type OpenCall } from './history.ts';
import type { ChildNews, HookedChild } from '../hooks/child-hooks.ts';
import { forkedInheritance, inheritanceOf } from './inheritance.ts';
import { hasBegun, loadOrigin, loadPredecessors } from './load-predecessors.ts';
import { createModelSink } from '../services/model-sink.ts';
import type { Services } from '../services/services.ts';
import { createThread, type Thread } from '../thread.ts';
import type { ToolRequest } from '../tools/tool-requests.ts';
import { overspendRequest } from '../steps/overspend.ts';
import { createOpenRun, createToolRun, createWaitingRun } from '../steps/tool-run.ts';
import { abortTools } from '../steps/tool-step.ts';
import { findUnheardCalls } from './unheard-calls.ts';
import type { ToolWaits } from '../tools/tool-waits.ts';

type Resume = Extract<WorkerCommand, { type: 'resume' }>;

/**
 * Reads a suspended thread back: spec and checkpoint from its rows, the conversation from its log. Calls without a result
 * are open still: which of them run is decided when it goes on. Its children's ends that it missed are recorded. `restored` gets nothing when that failed, which the host is told.
 */
export function restoreThread(
  command: Resume,
  { services, toolWaits }: Restoring,
  restored: (thread: Thread | undefined) => void,
): void {
  const { lineage, hasChildren } = command;
  const attempt = <Value>(work: () => Value): Value | undefined => {
    try {
      return work();
    } catch (thrown) {
      const failure = toFailure(thrown);
      services.report({ type: 'resumeFailed', thread: lineage.thread, failure });
      return undefined;
    }
  };
  services.store.submit({ type: 'load', thread: lineage.thread, withChildren: hasChildren }, (result) => {
    const found = attempt(() => readStored(result, services));
    if (!found) return restored(undefined);
    loadPredecessors(found.stored, { services, hasChildren }, (loadedBefore) => {
      const before = attempt(() => loadedBefore.map(loaded));
      if (!before) return restored(undefined);
      loadOrigin([found.stored, ...before], { services, origin: found.spec.own.forkedFrom }, (loadedOrigin) => {
        const origin = loadedOrigin && attempt(() => loaded(loadedOrigin));
        if (loadedOrigin && !origin) return restored(undefined);
        toolWaits.before(lineage.thread, found.spec.shared.capabilities, () => {
          restored(attempt(() => rebuild({ ...found, before, origin }, command, services)));
        });
      });
    });
  });
}

/** What reading back works with. */
export type Restoring = { readonly services: Services; readonly toolWaits: ToolWaits };

type Found = { readonly stored: StoredThread; readonly spec: SplitSpec };
type Whole = Found & {
  /** Those it took over from, the last one first. */
  readonly before: readonly StoredThread[];
  /** The thread it was forked from, if it has not begun. */
  readonly origin: StoredThread | undefined;
};

function readStored(result: StoreResult, { specs }: Services): Found {
  const stored = loaded(result);
  return { stored, spec: specs.split(parseSpec(stored.spec, stored.row.thread)) };
}

function loaded(result: StoreResult): StoredThread {
  if (result !== true && result.type === 'loaded') return result.thread;
  const failure = failureIn(result);
  throw new SkeinError(failure?.code ?? 'store_failed', failure?.message ?? 'The thread could not be read back');
}

function rebuild({ stored, spec, before, origin }: Whole, command: Resume, services: Services): Thread {
  const plan = services.plans.planFor(spec.shared);
  const now = services.clock.now();
  const thread = createThread({ lineage: command.lineage, spec, plan, now });
  thread.sequence = stored.lastSequence;
  thread.firstSequence = stored.lastSequence + 1;
  thread.sink = createModelSink(thread, services);
  const { layout, unheardCalls } = stored.checkpoint
    ? applyCheckpoint(thread, stored.checkpoint.state, now)
    : NOTHING_MORE;
  const tokensBefore = thread.contextTokens;
  const turnsBefore = thread.turns;
  // A settlement that no checkpoint came with is in the row.
  Object.assign(thread, stored.row.cost);
  // Of a later turn nobody knows whether its hooks had decided (ADR 4).
  if (turnsBefore !== thread.turns) thread.steppedAt = thread.turns;
  thread.leftReserved = stored.reserved ?? 0;
  const history = rebuildHistory(stored.lines);
  const settled = stored.checkpoint?.sequence ?? 0;
  thread.assembly = createSession(thread, services, { lines: stored.lines, sequence: settled, stored: layout });
  // The row has no tokens of caches.
  for (const { sequence, read, write } of history.cached ?? []) {
    if (sequence <= settled) continue;
    thread.cacheReadTokens += read;
    thread.cacheWriteTokens += write;
  }
  // A checkpoint that was written later has them in it.
  for (const { sequence, limits } of history.raises ?? [])
    if (sequence > settled) thread.limits = raise(thread.limits, limits);
  thread.answers = history.answers && new Map(history.answers);
  // Its first checkpoint has what it was told, heard or not.
  if (!stored.checkpoint && spec.own.message !== undefined) thread.inbox.push(spec.own.message);
  for (const { sequence, text } of history.unheard ?? []) if (sequence > settled) thread.inbox.push(text);
  applyHistory({ thread, services }, history, command.waiting);
  if (unheardCalls.length > 0) keepUnheard(thread, { lines: stored.lines, calls: unheardCalls });
  if (history.overspent) thread.suspendRequest = overspendRequest(thread, history.overspent);
  // It has run on while it waited.
  if (command.waiting) thread.startedAt = command.waiting.startedAt;
  const isCounted = settled >= (history.counted?.sequence ?? 1);
  // Results that came after the count may be in no checkpoint, or in one that was taken before they were added. What a prompt in tiers no
  // longer shows is in the checkpoint alone, and its next layout counts anew.
  if (!isCounted || !thread.assembly)
    thread.contextTokens = Math.max(isCounted ? thread.contextTokens : 0, tokensOf(thread, history));
  // It has not begun: what it goes on with is in the log of the last one that has, and how much that is in its first checkpoint.
  const begun = before.find(hasBegun) ?? before[0];
  if (thread.messages.length === 0 && begun) {
    const isHandedOver = before[0]?.row.status === 'continued';
    thread.inherited = { ...inheritanceOf(begun, tokensBefore), isHandedOver };
  }
  if (origin && spec.own.forkedFrom) thread.inherited = forkedInheritance(origin, spec.own.forkedFrom.sequence);
  catchUp(thread, withPredecessors(stored, before), services);
  return thread;
}

/** With the children of those it took over from, which are given from the last one back. */
function withPredecessors(stored: StoredThread, before: readonly StoredThread[]): ParentLog {
  const ended = before.findIndex(({ row }) => row.status !== 'continued');
  const handedOver = ended === -1 ? before : before.slice(0, ended);
  return handedOver.reduce<ParentLog>(withInherited, stored);
}

/** Records what has become of its children while it was in no worker, where nobody could append to its log. */
function catchUp(thread: Thread, family: ParentLog, { journal }: Services): void {
  // A child that took over from another one is none more.
  const spawned = family.children.filter(({ status }) => status !== 'continued').length;
  thread.spawned = Math.max(thread.spawned, spawned);
  for (const event of missedChildEvents(family)) {
    if (event.type === 'child_thread_started') journal.record(thread, event.type, event.payload);
    else journal.record(thread, event.type, event.payload);
    (thread.caughtUp ??= new Map()).set(event.payload.child_thread_id, event.type);
  }
  if (thread.plan.hooks.has('child_started') || thread.plan.hooks.has('child_ended')) keepNews(thread, family);
}

/** What its hooks are told when it goes on. */
function keepNews(thread: Thread, family: ParentLog): void {
  const hooked = new Map(family.children.map((child) => [child.threadId, hookedChild(child)]));
  thread.hookedChildren = hooked;
  const missed = missedChildEvents(family).map(({ type, payload }): ChildNews => {
    const { child_thread_id: childId } = payload;
    return type === 'child_thread_started'
      ? { childId, ...(hooked.get(childId) ?? { directive: payload.child_directive }) }
      : { childId, status: payload.status, cost: payload.cost };
  });
  thread.childNews = new Set([...(thread.childNews ?? []), ...missed]);
}

function hookedChild({ directive, hookDepth }: StoredChild): HookedChild {
  return hookDepth === undefined ? { directive } : { directive, hookDepth };
}

/** What a checkpoint has that is to be looked at beside the log: of a prompt in tiers, and of calls. */
type MoreOfCheckpoint = { readonly layout: unknown; readonly unheardCalls: readonly UnheardCall[] };

const NOTHING_MORE: MoreOfCheckpoint = { layout: undefined, unheardCalls: [] };

function applyCheckpoint(thread: Thread, state: string, now: number): MoreOfCheckpoint {
  const { v: _, ranMs, inbox, outputs, childNews, assembly, unheardCalls, ...counters } = parseCheckpoint(state);
  Object.assign(thread, counters);
  thread.outputs = outputs;
  // That of an older release does not say when they were given.
  if (outputs) thread.returnedAt ??= thread.turns;
  thread.steppedAt = counters.steppedAt ?? thread.turns;
  thread.inbox = inbox;
  thread.childNews = childNews && new Set(childNews);
  thread.startedAt = now - ranMs;
  return { layout: assembly, unheardCalls: unheardCalls ?? NOTHING_MORE.unheardCalls };
}

/** How long a conversation is by its log: what the provider has counted, and what was added since, as it was when it was added. */
function tokensOf({ system, plan }: Thread, { counted, messages }: History): number {
  const { count, expect } = plan.model.counter;
  const known = counted?.tokens ?? expect(count(system) + plan.paletteTokens);
  return messages.slice(counted?.messages ?? 0).reduce((sum, one) => sum + expect(addedBy(one, count)), known);
}

/** An answer that came without a count is estimated. */
function addedBy(message: Message, count: (text: string) => number): number {
  if (message.role === 'assistant') return estimateMessageTokens(message, count);
  return count(message.text) + (message.role === 'user' ? estimateMediaTokens(message.parts) : 0);
}

function applyHistory({ thread, services }: InWorker, history: History, waiting: WaitingThread | undefined): void {
  const { started, isResumed, system, messages, text, openCalls, interruptedAt, cutOffs } = history;
  thread.announced = started;
  thread.isResumed = isResumed;
  thread.system = system;
  thread.cutOffs = cutOffs;
  thread.wasCutOff = cutOffs > 0;
  thread.text = text;
  thread.messages.push(...messages);
  if (openCalls.length === 0) return;
  const isStarted = openCalls.some((call) => call.isStarted);
  const requests = openCalls.map(({ id, name, input, runs }) => {
    return { ...services.requests.read({ id, name, input }, thread.plan), ran: runs };
  });
  if (waiting) return waitOn(thread, requests, { waiting, openCalls });
  if (isStarted) announceRest({ thread, services }, openCalls);
  const at = isStarted ? (interruptedAt ?? 0) : undefined;
  thread.toolRun = { ...createToolRun(requests, isStarted, at), decided: false };
  // Its work is over, and it only waits for its children.
  if (thread.heldEnd) abortTools({ thread, services }, 'the runtime ended');
}

/** Hooks are asked again about calls that have their results; one whose work is over only waits for its children. */
function keepUnheard(thread: Thread, unheard: Parameters<typeof findUnheardCalls>[1]): void {
  if (thread.heldEnd || thread.toolRun?.waited) return;
  thread.unheardCalls = findUnheardCalls(thread.plan, unheard);
  if (thread.unheardCalls.size > 0) thread.toolRun ??= createOpenRun([]);
}

type WaitingCalls = { readonly waiting: WaitingThread; readonly openCalls: readonly OpenCall[] };

/** Its calls as they were when it left: as they run, not as the model wrote them. */
function waitOn(thread: Thread, requests: readonly ToolRequest[], { waiting, openCalls }: WaitingCalls): void {
  const waits = new Set(waiting.calls.map(({ id }) => id));
  const other = openCalls.find(({ id }) => !waits.has(id));
  if (other) throw new SkeinError('store_corrupt', `The call ${other.id} has no result, and does not wait for threads`);
  const running = requests.map((request, index) => ({ ...request, ...openCalls[index]?.runs }));
  thread.toolRun = createWaitingRun(running, waiting.calls);
}

/** Starts of one answer are recorded together; a log that has only some of them gets the others. */
function announceRest({ thread, services }: InWorker, openCalls: readonly OpenCall[]): void {
  for (const { id, name, input, isStarted } of openCalls) {
    if (!isStarted) services.journal.record(thread, 'tool_call_start', { tool: name, call_id: id, input });
  }
}
