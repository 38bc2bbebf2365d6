import { SkeinError, messageOf } from '../core/errors.ts';
import type { ModuleToolCaller } from '../core/module-tool.ts';
import { checkRegisteredTool } from '../core/registered-tool.ts';
import type { Result } from '../core/result.ts';
import { readToolInput } from '../core/tool-input.ts';
import type { RunningTool, Tool, ToolOutcome } from '../core/tool.ts';
import { ModuleCall } from './module-call.ts';
import { inputReader } from './registered-input.ts';
import type { CallContext } from './traced-call.ts';

/**
 * Loads the tools of a module (contracts' "registered tools"): its default export, or its export `tools`, is a list
 * of `ModuleTool`s. They run in the calling thread: the fast path, for code that is trusted not to block.
 * With `trace`, what a call leaves behind can be traced back to it.
 *
 * @throws SkeinError `invalid_argument` when the module cannot be loaded or a tool in it has the wrong shape.
 */
export async function loadModuleTools(url: string, trace?: CallContext): Promise<readonly Tool[]> {
  const module = await importModule(url);
  const list = module['default'] ?? module['tools'];
  if (!Array.isArray(list)) throw refuse(url, 'its default export, or its export `tools`, must be a list of tools');
  const tools = list.map((entry: unknown, at) => createModuleTool(entry, `${url}, tool ${at}`, trace));
  const twice = tools.find((tool, at) => tools.findIndex((other) => other.id === tool.id) !== at);
  if (twice) throw refuse(url, `two tools have the id ${twice.id}`);
  return tools;
}

async function importModule(url: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    // A module namespace is an object of its exports.
    return (await import(url)) as Readonly<Record<string, unknown>>;
  } catch (cause) {
    const reason = messageOf(cause);
    throw new SkeinError('invalid_argument', `tool module ${url} cannot be loaded: ${reason}`, { cause });
  }
}

/** A tool whose shape was checked. Any function can be called with two arguments; what it returns is looked at. */
type CheckedTool = Pick<Tool, 'id' | 'description'> & {
  readonly input: unknown;
  readonly inputSchema?: unknown;
  readonly idempotent?: boolean;
  readonly run: (input: unknown, caller: ModuleToolCaller) => unknown;
};

/**
 * Makes a tool of what a module exports; `place` says in errors where it stands.
 *
 * @throws SkeinError `invalid_argument` when the shape is wrong.
 */
export function createModuleTool(entry: unknown, place: string, trace?: CallContext): Tool {
  checkRegisteredTool(entry, `tool module ${place}`);
  // Just checked; what `input` and `inputSchema` are is checked next.
  const { id, description, idempotent = false, run, ...declared } = entry as CheckedTool;
  const named = `tool module ${place} (${id})`;
  const input = readToolInput(declared, named);
  const read = inputReader(input, named);
  const call = run.bind(entry);
  return {
    id,
    description,
    inputSchema: input.jsonSchema,
    idempotent,
    run: (given, caller, done) => {
      const running = new ModuleCall(caller);
      const { threadId, callId } = caller;
      const work = (): MaybeLater<ToolOutcome> => proceed(read(given), (checked) => call(checked, running.caller));
      let started: MaybeLater<ToolOutcome>;
      try {
        started = trace ? trace.run({ tool: id, threadId, callId }, work) : work();
      } catch (thrown) {
        started = threw(id, thrown);
      }
      // What follows on its answer is no part of it any more.
      if (isThenable(started)) return settleLater(started, { id, running, done });
      done(started);
      return undefined;
    },
  };
}

type MaybeLater<T> = T | PromiseLike<T>;

/** Calls the tool with an input that fits; makes no promise unless the schema or the tool makes one. */
function proceed(read: MaybeLater<Result<unknown>>, call: (input: unknown) => unknown): MaybeLater<ToolOutcome> {
  if (isThenable(read)) return read.then((later) => proceed(later, call));
  if (!read.ok) return read;
  const value = call(read.value);
  return isThenable(value) ? Promise.resolve(value).then(succeeded) : succeeded(value);
}

function succeeded(value: unknown): ToolOutcome {
  return { ok: true, value };
}

function threw(id: string, thrown: unknown): ToolOutcome {
  const message = messageOf(thrown);
  return {
    ok: false,
    failure: { code: 'tool_failed', message: `tool ${id} threw: ${message}`, detail: { reason: 'threw' } },
  };
}

type Later = { readonly id: string; readonly running: ModuleCall; readonly done: (outcome: ToolOutcome) => void };

function settleLater(pending: PromiseLike<ToolOutcome>, { id, running, done }: Later): RunningTool {
  const settle = (outcome: ToolOutcome): void => {
    if (!running.isAborted) done(outcome);
  };
  pending.then(settle, (thrown: unknown) => settle(threw(id, thrown)));
  return running;
}

function isThenable<T>(value: MaybeLater<T>): value is PromiseLike<T> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';
}

function refuse(place: string, message: string): SkeinError {
  return new SkeinError('invalid_argument', `tool module ${place}: ${message}`);
}
