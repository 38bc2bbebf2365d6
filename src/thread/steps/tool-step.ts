import type { EventPayloads } from '../../core/events.ts';
import type { RunningTool, Tool, ToolOutcome } from '../../core/tool.ts';
import type { WaitingCall } from '../../core/protocol.ts';
import { outcomeResult, resultOutcome } from '../../tools/primary-outcome.ts';
import { renderOutcome } from '../../tools/render-outcome.ts';
import type { InWorker } from '../conversation/conversation.ts';
import type { Effect } from './effects.ts';
import type { Services } from '../services/services.ts';
import { runAfterTool } from './after-tool.ts';
import { hookedTool } from './before-tool.ts';
import { addText } from '../conversation/context-size.ts';
import { isThreadTool } from '../tools/thread-tool.ts';
import type { ToolRequest } from '../tools/tool-requests.ts';
import type { Thread, ToolRun } from '../thread.ts';
import { createOpenRun, startEvent } from './tool-run.ts';
import { sortResults } from './sort-results.ts';
import { waitedOutcome } from '../tools/waited-outcome.ts';

/**
 * Waits until the recorded starts are on disk: a call with side effects must not run unseen. With them is what was refused, so that
 * nobody is asked later whether that has run.
 */
export const recordToolCalls: Effect = (thread, services) => {
  settleRefused({ thread, services });
  services.journal.commit(thread, {}, () => thread.send({ type: 'RECORDED' }));
};

/** Starts the calls of the last answer; results are folded in call order when the last one is there. */
export const runTools: Effect = (thread, services) => {
  settleRefused({ thread, services });
  askAgain({ thread, services });
  if (thread.toolRun?.left === 0) return foldResults(thread, thread.toolRun);
  startCalls({ thread, services });
};

/** What names no tool, or was refused, does not run: its result is that. */
function settleRefused({ thread, services }: InWorker): void {
  const run = thread.toolRun;
  run?.requests.forEach((request, index) => {
    if (request.tool.ok || run.results[index]) return;
    recordResult({ thread, services }, { run, index, request }, request.tool);
    run.left--;
  });
}

function startCalls(worker: InWorker): void {
  const { thread } = worker;
  const run = thread.toolRun;
  // A call that is done at once comes back here from within the loop.
  if (!run || run.starting) return;
  run.starting = true;
  const limit = worker.services.config.resilience.concurrency.maxConcurrentTools;
  // One of them may have ended the thread, and one that is marked as cancelled starts nothing more.
  const goesOn = (): boolean => thread.toolRun === run && thread.cancelReason === undefined;
  while (run.next < run.requests.length && run.active < limit && goesOn()) {
    const index = run.next++;
    const request = run.requests[index];
    if (request?.tool.ok) startCall(worker, { run, index, request });
  }
  run.starting = false;
  reportIfOnlyWaiting(thread);
}

/** Waits on for what the calls of a thread have waited for that left its worker meanwhile: the host has kept it. */
export function waitAgain(worker: InWorker): void {
  const { toolRun: run } = worker.thread;
  if (!run) return;
  for (const [index, request] of run.requests.entries()) startCall(worker, { run, index, request });
}

type StartedCall = { readonly run: ToolRun; readonly index: number; readonly request: ToolRequest };

/** Calls of thread tools don't count as running: they ask the host, or wait for other threads. */
function startCall(worker: InWorker, started: StartedCall): void {
  const { thread, services } = worker;
  const { run, index, request } = started;
  const waited = run.waited?.find(({ id }) => id === request.call.id);
  const tool = request.tool.ok ? request.tool.value : undefined;
  const counts = !waited && !(tool && isThreadTool(tool));
  let finished = false;
  let waiting = false;
  const done = (outcome: ToolOutcome): void => {
    finished = true;
    if (waiting) run.waiting--;
    finishCall(worker, started, { outcome, counts });
  };
  const waits = (): void => {
    waiting = true;
    run.waiting++;
    reportIfOnlyWaiting(thread);
  };
  if (counts) run.active++;
  run.startedAt[index] = waited?.since ?? services.clock.stopwatch();
  const call = { request, isAgain: run.interruptedAt !== undefined, waits, done };
  const running = waited ? waitOn(worker, waited, call) : tool && callTool(worker, call, tool);
  if (!finished) (run.running ??= new Map()).set(index, running);
}

type Call = {
  readonly request: ToolRequest;
  readonly isAgain: boolean;
  readonly waits: () => void;
  readonly done: (outcome: ToolOutcome) => void;
};

function waitOn({ thread, services }: InWorker, { id, directive }: WaitingCall, call: Call): RunningTool {
  const settle = settling(call);
  const question = { type: 'waitAgain', thread: thread.lineage.thread, callId: id } as const;
  const asked = services.host.ask(question, (answer) => settle(waitedOutcome(answer, directive)));
  call.waits();
  return asked;
}

function callTool({ thread, services }: InWorker, asked: Call, tool: Tool): RunningTool | undefined {
  const { isAgain, waits } = asked;
  const { call, input } = asked.request;
  const settle = settling(asked);
  if (isThreadTool(tool)) {
    const callId = call.id;
    return tool.runFor({ thread, services, input, callId, isAgain, waits, maxWaitMs: undefined }, settle);
  }
  const caller = {
    threadId: thread.lineage.threadId,
    callId: call.id,
    projectPath: services.projectPath,
    allows: thread.plan.allows,
  };
  return tool.run(input, caller, settle);
}

/** What runs through `rye/execute` gives what that gives. */
function settling({ request: { subject }, done }: Call): Call['done'] {
  return subject ? (outcome) => done(resultOutcome(outcomeResult(subject, outcome))) : done;
}

/** What a call gave, and whether it counts as running. */
type Finished = { readonly outcome: ToolOutcome; readonly counts: boolean };

function finishCall(worker: InWorker, started: StartedCall, { outcome, counts }: Finished): void {
  const { thread } = worker;
  const { run, index, request } = started;
  if (thread.toolRun !== run) return;
  run.running?.delete(index);
  const given = recordResult(worker, started, outcome);
  // Its place is free when its hooks are done.
  const places = counts ? 1 : 0;
  const done = (): void => {
    if (thread.toolRun !== run) return;
    run.active -= places;
    callIsOver(worker, run);
  };
  const tool = hookedTool(request);
  if (!tool) return done();
  const waits = (): (() => void) => hookWaits(worker, run, places);
  runAfterTool(worker, { tool: tool.id, input: request.input, given }, { done, waits });
}

/** A hook that waits for threads, as a call that does, needs no place among those that run, and no slot. */
function hookWaits(worker: InWorker, run: ToolRun, places: number): () => void {
  run.waiting++;
  run.active -= places;
  startCalls(worker);
  return () => {
    run.waiting--;
    run.active += places;
  };
}

/** Hooks that were cut off are asked again about calls that have their results: the model hears of these after that. */
function askAgain(worker: InWorker): void {
  const { toolRun: run, unheardCalls } = worker.thread;
  if (!run || !unheardCalls) return;
  const calls = [...unheardCalls.values()];
  run.left += calls.length;
  for (const finished of calls) {
    if (worker.thread.toolRun !== run) return;
    const done = (): void => {
      if (worker.thread.toolRun === run) callIsOver(worker, run);
    };
    runAfterTool(worker, finished, { done, waits: () => hookWaits(worker, run, 0) });
  }
}

function recordResult(
  { thread, services }: InWorker,
  { run, index, request }: StartedCall,
  outcome: ToolOutcome,
): EventPayloads['tool_call_result'] {
  const text = renderOutcome(outcome);
  const call_id = request.call.id;
  const duration_ms = passedMs(services, run.startedAt[index]);
  const given = outcome.ok ? { call_id, duration_ms, output: text } : { call_id, duration_ms, error: text };
  run.results[index] = { text, isError: !outcome.ok };
  services.journal.record(thread, 'tool_call_result', given);
  // Hooks or other calls go on, maybe for minutes: until then it would be told nobody, and could be lost.
  services.journal.flushSoon(thread);
  return given;
}

function callIsOver(worker: InWorker, run: ToolRun): void {
  const { thread } = worker;
  run.left--;
  if (run.left === 0) return foldResults(thread, run);
  if (run.next < run.requests.length) startCalls(worker);
  else reportIfOnlyWaiting(thread);
}

function foldResults(thread: Thread, run: ToolRun): void {
  thread.toolRun = undefined;
  thread.wasCutOff = false;
  pushResults(thread, run);
  thread.send({ type: 'TOOLS_DONE' });
}

/** What the calls have given; those that stay open have nothing. */
function pushResults(thread: Thread, run: ToolRun): void {
  run.requests.forEach(({ call }, index) => {
    const result = run.results[index];
    if (!result) return;
    thread.messages.push({ role: 'tool', callId: call.id, text: result.text, isError: result.isError });
    addText(thread, result.text);
  });
  if (run.waited || run.interruptedAt !== undefined) sortResults(thread.messages);
}

/** With several waits, the slot is given back again after each answer that leaves others open. */
function reportIfOnlyWaiting({ toolRun: run, send }: Thread): void {
  const isWaiting = run && run.waiting > 0 && run.waiting === run.left;
  if (isWaiting) send({ type: 'ONLY_CHILDREN_LEFT' });
}

/** Tells the host that the thread needs no slot until a wait is answered. */
export const yieldSlot: Effect = (thread, { report }) => {
  report({ type: 'yield', thread: thread.lineage.thread });
};

/**
 * Ends the calls in flight, each with an error result that says why; those that stay have none, and are made again: they are as they
 * would be if the thread was read back.
 */
export function abortTools(
  { thread, services }: InWorker,
  reason: string,
  stays: (request: ToolRequest) => boolean = () => false,
): void {
  const run = thread.toolRun;
  if (!run) return;
  thread.toolRun = undefined;
  run.requests.forEach((request, index) => {
    if (!run.announced) services.journal.record(thread, 'tool_call_start', startEvent(request));
    if (run.results[index] !== undefined) return;
    if (stays(request)) run.running?.get(index)?.abort(true);
    else abortCall({ run, index, request }, { thread, services, reason });
  });
  pushResults(thread, run);
  const open = [...run.requests.keys()].filter((index) => run.results[index] === undefined);
  if (open.length === 0) return;
  const requests = open.flatMap((index) => asCalled({ thread, services }, run, index));
  const startedAt = open.map((index) => run.startedAt[index]);
  thread.toolRun = { ...createOpenRun(requests), startedAt };
}

/** The model's own call again, and what hooks have made of it by the way: they are asked once more. */
function asCalled({ thread, services }: InWorker, run: ToolRun, index: number): readonly ToolRequest[] {
  const request = run.requests[index];
  if (!request) return [];
  const { call, name, input } = request;
  const ran = run.startedAt[index] === undefined ? request.ran : { name, input };
  return [{ ...services.requests.read(call, thread.plan), ran }];
}

type Abort = { readonly thread: Thread; readonly services: Services; readonly reason: string };

function abortCall({ run, index, request }: StartedCall, { thread, services, reason }: Abort): void {
  run.running?.get(index)?.abort();
  const { tool } = request;
  // What names no tool, or was refused, would not have run.
  const error = tool.ok ? `The call was interrupted (${reason})` : renderOutcome(tool);
  run.results[index] = { text: error, isError: true };
  services.journal.record(thread, 'tool_call_result', {
    call_id: request.call.id,
    error,
    duration_ms: passedMs(services, run.startedAt[index]),
  });
}

/** In whole milliseconds; none for a call that was never begun. */
function passedMs({ clock }: InWorker['services'], startedAt: number | undefined): number {
  return startedAt === undefined ? 0 : Math.round(clock.stopwatch() - startedAt);
}
