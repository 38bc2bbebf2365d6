import { failed, type Result } from '../core/result.ts';
import type { Tool } from '../core/tool.ts';
import { nearNames } from './near-names.ts';
import { executeCapability } from './grant-rank.ts';
import type { Palette } from './palette.ts';
import { primaryOfTool } from './primary-offer.ts';

/**
 * The tool a model means by a name, or why there is none for it: a name nobody has is `tool_unknown`, one the thread may not
 * call `permission_denied`.
 */
export function findTool(palette: Palette, name: string): Result<Tool> {
  const tool = palette.resolve(name);
  if (tool) return { ok: true, value: tool };
  const id = palette.idOf(name);
  return id === undefined ? unknownTool(palette, name) : deniedTool(id);
}

function deniedTool(id: string): Result<never> {
  const primary = primaryOfTool(id);
  const capability = primary ? `rye.${primary}.*` : executeCapability(id);
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
