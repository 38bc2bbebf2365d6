import type { PrimaryAction } from '../core/item.ts';
import { COVERED_BY, type CapabilityChain } from '../items/capability.ts';
import { isPrimaryAction } from '../items/action.ts';

/** Item ids of the primary actions as tools: `rye/execute` and so on. */
export function primaryToolId(primary: PrimaryAction): string {
  return `rye/${primary}`;
}

/** The primary action that a tool stands for, if it is one. */
export function primaryOfTool(toolId: string): PrimaryAction | undefined {
  const name = toolId.startsWith('rye/') ? toolId.slice('rye/'.length) : '';
  return isPrimaryAction(name) ? name : undefined;
}

/**
 * Whether a thread is offered a primary action: every level of its capabilities has a pattern that some call of it fits
 * (S3 layer 1; contracts: `fetch` covers `load` and `search`, and the reverse). What a call may reach is decided per call.
 */
export function offersPrimary(primary: PrimaryAction, chain: CapabilityChain): boolean {
  const prefixes = COVERED_BY[primary].map((action) => `rye.${action}.`);
  return (
    chain.length > 0 &&
    chain.every((patterns) => patterns.some((pattern) => prefixes.some((prefix) => meetsPrefix(pattern, prefix))))
  );
}

/** Whether a pattern matches any text with that beginning: what follows its first star can be anything. */
export function meetsPrefix(pattern: string, prefix: string): boolean {
  const star = pattern.indexOf('*');
  const head = star === -1 ? pattern : pattern.slice(0, star);
  return head.startsWith(prefix) || (star !== -1 && prefix.startsWith(head));
}
