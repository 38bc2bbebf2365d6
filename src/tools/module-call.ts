import type { ModuleToolCaller } from '../core/module-tool.ts';
import type { RunningTool, ToolCaller } from '../core/tool.ts';

/** A call of code that runs in this thread, which can only be asked to stop: by a signal, made for those that look at it. */
export class ModuleCall implements RunningTool {
  /** What the code is told; `signal` is its own property, so that a copy has it as well. */
  readonly caller: ModuleToolCaller;
  #isAborted = false;
  #controller: AbortController | undefined;

  constructor({ threadId, callId, projectPath, allows }: ToolCaller) {
    const signal = (): AbortSignal => this.#signal();
    this.caller = {
      threadId,
      callId,
      projectPath,
      allows,
      get signal() {
        return signal();
      },
    };
  }

  get isAborted(): boolean {
    return this.#isAborted;
  }

  abort(): void {
    this.#isAborted = true;
    this.#controller?.abort();
  }

  #signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#isAborted) this.#controller.abort();
    return this.#controller.signal;
  }
}
