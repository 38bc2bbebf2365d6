import type { Tool } from '../../core/tool.ts';
import type { CapabilityChain } from '../../items/capability.ts';
import { executeCapability } from '../../tools/grant-rank.ts';
import { meetsPrefix } from '../../tools/primary-offer.ts';

const TOOL = 'rye.execute.tool.';

/** What a preview has to say of tools that only the program has that starts the thread; nothing where none could be granted. */
export function notesOn(capabilities: CapabilityChain, known: readonly Pick<Tool, 'id'>[]): readonly string[] {
  const mayHave = capabilities.every((patterns) => patterns.some((pattern) => meetsPrefix(pattern, TOOL)));
  if (capabilities.length === 0 || !mayHave) return [];
  const ids = new Set(known.map(({ id }) => executeCapability(id)));
  const named = [...new Set(capabilities.flat())].filter(
    (pattern) => pattern.startsWith(TOOL) && !pattern.includes('*'),
  );
  const missing = named.filter((pattern) => !ids.has(pattern));
  const note = 'Tools that a program registers as functions (registerTool) are not known here';
  return [missing.length === 0 ? note : `${note}; granted by name, and not found: ${missing.join(', ')}`];
}
