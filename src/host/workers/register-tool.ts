import type { HostToolInfo } from '../../core/control-surface.ts';
import { SkeinError, toFailure } from '../../core/errors.ts';
import { checkRegisteredTool } from '../../core/registered-tool.ts';
import { refuseRuntimeTool } from '../../core/runtime-tools.ts';
import { readToolInput } from '../../core/tool-input.ts';
import type { HostFunctions, HostTool } from './host-functions.ts';
import { checkOptionNames } from '../handle/option-names.ts';
import type { Registrations } from './registrations.ts';
import type { ToolRegistration } from '../runtime-options.ts';

/**
 * Registers a tool of the embedder with the host and all workers: a module is loaded in each of them, a function stays here.
 *
 * @throws SkeinError `invalid_argument` for a tool that can't be one; what was registered under its id before stays
 */
export async function registerTool<Input>(
  tool: ToolRegistration<Input>,
  { registrations, functions }: ToolPlaces,
): Promise<void> {
  if (isModule(tool)) {
    checkOptionNames('registerTool', tool, { module: true });
    return registrations.addModule(String(tool.module));
  }
  const { info, hostTool } = describeTool(tool);
  // It may be called as soon as a worker knows it.
  await registrations.addHostTool({ ...info, calledAs: functions.addTool(hostTool) });
}

/** Where a tool is made known. */
type ToolPlaces = { readonly registrations: Registrations; readonly functions: HostFunctions };

/** Callers without types may pass anything. */
function isModule<Input>(
  tool: ToolRegistration<Input>,
): tool is Extract<ToolRegistration<Input>, { readonly module: unknown }> {
  return typeof tool === 'object' && tool !== null && 'module' in tool;
}

function describeTool<Input>(tool: Exclude<ToolRegistration<Input>, { module: unknown }>): {
  readonly info: Omit<HostToolInfo, 'calledAs'>;
  readonly hostTool: HostTool;
} {
  checkRegisteredTool(tool, 'registerTool');
  const { id, description, idempotent = false } = tool;
  refuseRuntimeTool(id);
  const { jsonSchema, standard } = readToolInput(tool, `registerTool (${id})`);
  return {
    info: { id, description, inputSchema: jsonCopy(jsonSchema, id), idempotent, isChecked: standard === undefined },
    hostTool: { id, standard, run: (input: never, caller) => tool.run(input, caller) },
  };
}

/** A copy that can travel. */
function jsonCopy(schema: HostToolInfo['inputSchema'], id: string): HostToolInfo['inputSchema'] {
  try {
    return JSON.parse(JSON.stringify(schema)) as HostToolInfo['inputSchema'];
  } catch (cause) {
    const { message } = toFailure(cause);
    throw new SkeinError('invalid_argument', `registerTool (${id}): the schema of its input is no JSON: ${message}`, {
      cause,
    });
  }
}
