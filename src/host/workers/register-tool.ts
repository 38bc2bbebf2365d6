import { z } from 'zod';
import type { HostToolInfo } from '../../core/control-surface.ts';
import { SkeinError } from '../../core/errors.ts';
import { checkRegisteredTool } from '../../core/registered-tool.ts';
import { refuseRuntimeTool } from '../../core/runtime-tools.ts';
import type { HostFunctions } from './host-functions.ts';
import { jsonSchemaOf } from '../handle/json-schema.ts';
import { checkOptionNames } from '../handle/option-names.ts';
import type { Registrations } from './registrations.ts';
import type { ToolRegistration } from '../runtime-options.ts';

/**
 * Registers a tool of the embedder with the host and all workers: a module is loaded in each of them, a function stays here.
 *
 * @throws SkeinError `invalid_argument` for a tool that can't be one
 */
export async function registerTool<Input>(
  tool: ToolRegistration<Input>,
  { registrations, functions }: ToolPlaces,
): Promise<void> {
  if (isModule(tool)) {
    checkOptionNames('registerTool', tool, { module: true });
    return registrations.addModule(String(tool.module));
  }
  const info = describeTool(tool);
  functions.addTool(tool);
  await registrations.addHostTool(info);
}

/** Where a tool is made known. */
type ToolPlaces = { readonly registrations: Registrations; readonly functions: HostFunctions };

/** Callers without types may pass anything. */
function isModule<Input>(
  tool: ToolRegistration<Input>,
): tool is Extract<ToolRegistration<Input>, { readonly module: unknown }> {
  return typeof tool === 'object' && tool !== null && 'module' in tool;
}

function describeTool<Input>(tool: Exclude<ToolRegistration<Input>, { module: unknown }>): HostToolInfo {
  checkRegisteredTool(tool, 'registerTool');
  refuseRuntimeTool(tool.id);
  const inputSchema =
    tool.inputSchema ?? (tool.input instanceof z.ZodType ? jsonSchemaOf(tool.input, `input of ${tool.id}`) : undefined);
  if (!inputSchema) {
    throw new SkeinError(
      'invalid_argument',
      `Tool ${tool.id} needs an inputSchema: only zod schemas are turned into JSON Schema`,
    );
  }
  return {
    id: tool.id,
    description: tool.description,
    inputSchema: { ...inputSchema },
    idempotent: tool.idempotent ?? false,
  };
}
