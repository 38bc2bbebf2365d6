import { join } from 'node:path';
import type { ToolItem } from '../core/item.ts';
import { ok } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import type { Tool, ToolCaller } from '../core/tool.ts';
import { childEnv } from './child-env.ts';
import { compileInputCheck } from './input-check.ts';
import { findInterpreter } from './interpreter.ts';
import { processOutcome } from './process-outcome.ts';
import type { ProcessRuntime } from './process-runtime.ts';
import type { ProcessOrder } from './tool-process.ts';

/**
 * A tool of a file: each call runs in a child process of its own, so that a crash, an endless loop or a memory blow-up
 * ends that call alone (S2 §5, contracts). Input is checked against the item's schema first.
 *
 * Contract of the file: node exports `execute(params, projectPath)`, python defines `execute(params, project_path)`,
 * sync or async, and what it returns, as JSON, is the result; bash gets the params as JSON on stdin and the project
 * path as `$1`, and its stdout is the result, as JSON if it is JSON, else as text.
 *
 * @throws SkeinError `invalid_item` when the item's input schema cannot be used.
 */
export function createProcessTool(item: ToolItem, runtime: ProcessRuntime): Tool {
  const check = compileInputCheck(item.inputSchema);
  return {
    id: item.id,
    description: item.description,
    inputSchema: item.inputSchema,
    idempotent: item.idempotent,
    run(input, caller, done) {
      const checked = check(input);
      const order = checked.ok ? orderFor(item, runtime, { params: checked.value, caller }) : checked;
      if (!order.ok) {
        done(order);
        return undefined;
      }
      return runtime.start(order.value, (end) => done(processOutcome(item, order.value, end)));
    },
  };
}

type CallInput = { readonly params: Readonly<Record<string, unknown>>; readonly caller: ToolCaller };

function orderFor(item: ToolItem, { options }: ProcessRuntime, call: CallInput): Result<ProcessOrder> {
  const { projectPath } = call.caller;
  const { env, nodePath, runnersDir, memoryMb } = options;
  const interpreter = findInterpreter(item.runtime, { projectPath, env, nodePath });
  if (!interpreter.ok) return interpreter;
  const request = JSON.stringify({ file: item.file, params: call.params, projectPath });
  const program = {
    node: {
      args: [`--max-old-space-size=${memoryMb}`, join(runnersDir, 'node-runner.mjs')],
      input: request,
      resultOn: 'channel',
    },
    python: { args: ['-B', join(runnersDir, 'python_runner.py')], input: request, resultOn: 'channel' },
    bash: { args: [item.file, projectPath], input: JSON.stringify(call.params), resultOn: 'stdout' },
  } as const;
  const { args, ...rest } = program[item.runtime];
  return ok({
    ...withMemoryLimit([interpreter.value, ...args], dataLimitMb(item.runtime, memoryMb)),
    ...rest,
    cwd: projectPath,
    env: childEnv(env, options.envNames),
    timeoutMs: item.timeoutSeconds === undefined ? options.timeoutMs : item.timeoutSeconds * 1000,
    maxOutputBytes: options.maxOutputBytes,
  });
}

/** Node reserves about 600 MB for itself before a tool allocates anything. */
function dataLimitMb(runtime: ToolItem['runtime'], memoryMb: number): number {
  return runtime === 'node' ? memoryMb + 1024 : memoryMb;
}

/** A shell sets the limit for each process of the group and is then replaced by the program: same pid, same pipes. */
function withMemoryLimit(words: readonly string[], limitMb: number): { command: string; args: readonly string[] } {
  const [command = '', ...args] = words;
  if (process.platform === 'win32') return { command, args };
  return { command: '/bin/sh', args: ['-c', 'ulimit -d "$0" 2>/dev/null; exec "$@"', `${limitMb * 1024}`, ...words] };
}
