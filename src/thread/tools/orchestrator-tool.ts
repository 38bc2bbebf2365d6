import { OPERATION_BOUNDS } from '../../core/operation-bounds.ts';
import { isOperation, operationInput, OPERATIONS, type ParsedInput } from '../../core/operations.ts';
import type { RunningTool, ToolOutcome } from '../../core/tool.ts';
import { faultLine } from '../../core/zod-fault.ts';
import type { ThreadToolCall, ThreadToolCode } from './thread-tool.ts';
import { aggregatedOutcome, waitedOutcome } from './waited-outcome.ts';

/** What its file declares, beside what the operations take. */
type Input = Readonly<Record<string, unknown>> & {
  readonly operation?: string;
  readonly action?: string;
};

/** S2 §6.11: the operations on threads, on those below the one that asks. */
export const orchestrator: ThreadToolCode = {
  id: 'rye/agent/threads/orchestrator',
  mayRunAgain(input) {
    const { operation, action } = input as Input;
    const name = operation ?? action ?? '';
    // To cancel what is cancelled changes nothing.
    return !isOperation(name) || !OPERATIONS[name].changes || name === 'cancel_thread' || name === 'kill_thread';
  },
  run(call, done) {
    const { thread, services } = call;
    // Checked against its file.
    const input = call.input as Input;
    const operation = input.operation ?? input.action;
    if (operation === undefined || !isOperation(operation)) return refuse(done, unknownOperation(operation));
    const asked = operationInput(operation, input);
    // What a hook is given is not cut.
    const given = operation === 'list_children' && call.callId !== undefined ? withRoom(asked) : asked;
    if (operation === 'wait_threads') {
      const parsed = OPERATIONS.wait_threads.input.safeParse(given);
      return parsed.success
        ? waitThreads(call, { ...parsed.data, done })
        : refuse(done, `wait_threads: ${faultLine(parsed.error)}`);
    }
    const question = { type: 'orchestrate', thread: thread.lineage.thread, operation, input: given } as const;
    return services.host.ask(question, (answer) =>
      done(operation === 'aggregate_results' ? aggregatedOutcome(answer) : answer),
    );
  },
};

/** No more children than have room: of those cut off nobody would hear, nor that there is a next page. */
function withRoom(asked: Input): Input {
  const { limit } = asked;
  return typeof limit === 'number' ? { ...asked, limit: Math.min(limit, OPERATION_BOUNDS.children.forModel) } : asked;
}

type Done = (outcome: ToolOutcome) => void;

function refuse(done: Done, message: string): undefined {
  done({ ok: false, failure: { code: 'tool_input_invalid', message } });
}

function unknownOperation(given: string | undefined): string {
  const known = Object.entries(OPERATIONS)
    .flatMap(([name, { reach }]) => (reach === 'none' ? [] : [name]))
    .join(', ');
  return given === undefined ? `Name an operation: ${known}` : `There is no operation "${given}"; there are: ${known}`;
}

type Wait = ParsedInput<'wait_threads'> & {
  readonly done: Done;
};

/** One deadline for all; results in the order asked (contracts, `wait_threads`). */
function waitThreads(call: ThreadToolCall, { thread_ids: ids, timeout: seconds, done }: Wait): RunningTool | undefined {
  const { thread, services, callId, isBeside, maxWaitMs = Number.POSITIVE_INFINITY } = call;
  const { coordination } = services.config.resilience;
  if (ids.length > coordination.maxWaitThreadIds) {
    const message = `wait_threads takes at most ${coordination.maxWaitThreadIds} thread_ids at once, not ${ids.length}`;
    return refuse(done, message);
  }
  const askedMs = (seconds ?? coordination.waitTimeoutSeconds) * 1000;
  const hookMs = maxWaitMs < askedMs ? maxWaitMs : undefined;
  const question = {
    type: 'wait',
    thread: thread.lineage.thread,
    threadIds: ids,
    timeoutMs: hookMs ?? askedMs,
    failFast: coordination.failFast,
    ...(callId !== undefined && { call: { id: callId } }),
    ...(isBeside && { isBeside }),
  } as const;
  const asked = services.host.ask(question, (answer) => done(waitedOutcome(answer, undefined, hookMs)));
  call.waits();
  return asked;
}
