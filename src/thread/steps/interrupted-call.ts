import type { Failure } from '../../core/errors.ts';
import { failed } from '../../core/result.ts';
import { findTool } from '../../tools/find-tool.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { askAboutCall } from './approval.ts';
import { denial } from './denial.ts';
import { isThreadTool } from '../tools/thread-tool.ts';
import type { ToolRequest } from '../tools/tool-requests.ts';
import type { Thread } from '../thread.ts';

/**
 * Decides what becomes of a call that was cut off, by the end of its runtime or of the work on it: nobody knows how far it came. One that may run
 * twice passes, unless `restart_intensity` runtimes have ended during it (ADR 71). Of any other a person says whether it runs again, and the
 * thread is suspended until then, without `done`: the answer holds for this interruption, or, if the call may run twice, until a runtime ends during it
 * once more. A call of another runtime that can't be made here is not made again. What was not interrupted passes (ADR 40).
 */
export function decideInterrupted(worker: InWorker, request: ToolRequest, done: (request: ToolRequest) => void): void {
  const { thread } = worker;
  const at = thread.toolRun?.interruptedAt;
  if (at === undefined) return done(request);
  const { tool, call } = request;
  if (!tool.ok) return done(notAgain(request, tool.failure));
  const ran = asItRan(thread, request);
  const mayHaveKilled = isSuspect(worker, ran);
  if (mayRunAgain(ran) && !mayHaveKilled) return done(request);
  const point = mayRunAgain(ran)
    ? `interrupted in ${thread.cutOffs} crashes ${call.id}`
    : `interrupted ${at} ${call.id}`;
  const answer = thread.answers?.get(point);
  if (answer?.granted) return done(request);
  if (answer) return done(notAgain(request, { code: 'tool_failed', message: denial(answer) }));
  const id = ran.tool.ok ? ran.tool.value.id : ran.name;
  const why = mayHaveKilled
    ? ` by the end of ${thread.cutOffs} runtimes in a row, and may have caused it`
    : ', and may have had its effect';
  const message = `Call ${call.id} was interrupted${why}: ${id} ${JSON.stringify(ran.input)}`;
  const ask = askAboutCall(thread, { point, message });
  thread.send({ type: 'SUSPEND', reason: 'error', message: `A call of ${id} was interrupted`, ask });
}

/** The model's call as hooks have let it run: with another input, by which `rye/execute` may have run another tool. */
function asItRan({ plan }: Thread, request: ToolRequest): ToolRequest {
  const { name, tool, ran = request } = request;
  return { ...request, ...ran, tool: ran.name === name ? tool : findTool(plan.palette, ran.name) };
}

/** Whether a call that was cut off can be made once more without asking anybody. */
export function mayRunAgain({ tool, input }: ToolRequest): boolean {
  if (!tool.ok) return false;
  return tool.value.idempotent || (isThreadTool(tool.value) && tool.value.mayRunAgain(input));
}

/** Whether so many runtimes have ended during a call that it may be why; what only asks the host ends none. */
function isSuspect({ thread, services }: InWorker, { tool }: ToolRequest): boolean {
  if (tool.ok && isThreadTool(tool.value)) return false;
  return thread.cutOffs >= services.config.resilience.coordination.restartIntensity;
}

function notAgain(request: ToolRequest, why: Failure): ToolRequest {
  const message = `The call was interrupted and has not been run again. ${why.message}`;
  return { ...request, tool: failed({ code: why.code, message }) };
}
