import type { Clock } from '../core/clock.ts';
import type { RunningTool } from '../core/tool.ts';
import type { Env } from './child-env.ts';
import { createCallSlots, type CallSlots } from './call-slots.ts';
import { createToolLauncher, type ToolLauncher } from './tool-launcher.ts';
import { ToolProcess, type ProcessEnd, type ProcessOrder } from './tool-process.ts';

/** What the tool processes of one worker share. */
export type ProcessRuntimeOptions = {
  /** Absolute path of `config/runtimes`, where the runners are. */
  readonly runnersDir: string;
  /** The runtime's environment; a tool sees the allowed part of it. */
  readonly env: Env;
  readonly clock: Clock;
  /** Names of further environment variables every tool may see: the user's choice (`tools.env` of agent.yaml). */
  readonly envNames?: readonly string[];
  /** Processes at a time; more wait in line (`tools.max_processes` of agent.yaml). Default 8. */
  readonly maxProcesses?: number;
  /** Between SIGTERM and SIGKILL. Default 2,000. */
  readonly graceMs?: number;
  /** Default `process.execPath`. */
  readonly nodePath?: string;
};

/** Runs tool processes for one worker: bounded in number, and none outlives it. */
export interface ProcessRuntime {
  readonly options: Required<ProcessRuntimeOptions>;
  /** Starts a process when there is room. `ended` is called once, never in the same tick, and not after `abort`. */
  start(order: ProcessOrder, ended: (end: ProcessEnd) => void): RunningTool;
  /** Kills every process at once, without a word to its caller, and starts none of those in line: for worker exit. */
  killAll(): void;
}

/** Makes the process runtime of a worker. The composition root calls `killAll` on the worker's `exit`. */
export function createProcessRuntime(given: ProcessRuntimeOptions): ProcessRuntime {
  const options = withDefaults(given);
  const shared = { options, slots: createCallSlots(options.maxProcesses), launcher: createToolLauncher(options) };
  const calls = new Set<QueuedCall>();
  return {
    options,
    start(order, ended) {
      const call = queueCall(order, shared, (end) => {
        calls.delete(call);
        if (end) ended(end);
      });
      calls.add(call);
      return { abort: () => call.quit('stop') };
    },
    killAll: () => {
      for (const call of [...calls].toReversed()) call.quit('kill');
      shared.launcher.close();
    },
  };
}

type Shared = Pick<ProcessRuntime, 'options'> & { readonly slots: CallSlots; readonly launcher: ToolLauncher };

/** A call in the line or under way. */
type QueuedCall = { quit(how: 'stop' | 'kill'): void };

/** `over` is called when its place is free again: with how the process ended, or with nothing after `quit`. */
function queueCall(order: ProcessOrder, shared: Shared, over: (end: ProcessEnd | undefined) => void): QueuedCall {
  const { options, slots, launcher } = shared;
  let [entered, silent] = [false, false];
  const finish = (end?: ProcessEnd): void => {
    place.leave();
    over(silent ? undefined : end);
  };
  const child = new ToolProcess(order, {
    clock: options.clock,
    graceMs: options.graceMs,
    launcher,
    ended: finish,
  });
  const place = slots.take(() => {
    entered = true;
    child.start();
  });
  return {
    quit(how) {
      silent = true;
      if (entered) child[how]();
      else finish();
    },
  };
}

function withDefaults(given: ProcessRuntimeOptions): Required<ProcessRuntimeOptions> {
  return {
    envNames: [],
    maxProcesses: 8,
    graceMs: 2_000,
    nodePath: process.execPath,
    ...given,
  };
}
