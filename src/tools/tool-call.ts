import type { ToolCall } from '../core/conversation.ts';
import { failed } from '../core/result.ts';
import type { Result } from '../core/result.ts';
import type { RunningTool, Tool, ToolCaller, ToolOutcome } from '../core/tool.ts';
import { nearNames } from './near-names.ts';
import { executeCapability } from './palette.ts';
import type { Palette } from './palette.ts';

/** A call a model made, and who for. */
export type ToolCallOrder = {
  readonly palette: Palette;
  readonly call: ToolCall;
  readonly caller: ToolCaller;
  /** Called exactly once, in the same tick or later; never after `abort`. */
  readonly done: (outcome: ToolOutcome) => void;
};

/**
 * Carries out a model's tool call. A name nobody has is `tool_unknown`, one the thread may not call
 * `permission_denied`; the tool itself checks its input. Returns nothing if it is already done.
 */
export function callTool({ palette, call, caller, done }: ToolCallOrder): RunningTool | undefined {
  const found = findTool(palette, call.name);
  if (found.ok) return found.value.run(call.input, caller, done);
  done(found);
  return undefined;
}

/** The tool a model means by a name, or why there is none for it. */
export function findTool(palette: Palette, name: string): Result<Tool> {
  const tool = palette.resolve(name);
  if (tool) return { ok: true, value: tool };
  const id = palette.idOf(name);
  return id === undefined ? unknownTool(palette, name) : deniedTool(id);
}

function deniedTool(id: string): Result<never> {
  const capability = executeCapability(id);
  return failed({
    code: 'permission_denied',
    message: `the tool ${id} may not be called: this thread lacks the capability ${capability}`,
    detail: { capability },
  });
}

function unknownTool({ definitions }: Palette, name: string): Result<never> {
  const names = definitions.map((definition) => definition.name);
  const near = nearNames(name, names);
  const hint = near.length > 0 ? `; did you mean ${near.join(' or ')}?` : `; there is ${names.join(', ') || 'none'}`;
  return failed({
    code: 'tool_unknown',
    message: `there is no tool named ${JSON.stringify(name.slice(0, 128))}${hint}`,
    detail: { near },
  });
}
