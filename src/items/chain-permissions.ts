import { type CapabilityChain, intersect, widening } from './capability.ts';
import type { Levels } from './extends-chain.ts';

/** What the directives of an extends chain may do together. */
export type ChainPermissions = {
  /** Undefined if none of them declares permissions. */
  readonly capabilities: CapabilityChain | undefined;
  /** What is declared in vain, for the author. */
  readonly warnings: readonly string[];
};

/**
 * Composes permissions root first (contracts, "Capabilities"): a level that declares some is intersected with the levels
 * above it, one that declares none inherits. Asking for more than they grant is a warning.
 */
export function composePermissions(levels: Levels): ChainPermissions {
  let capabilities: CapabilityChain | undefined;
  const warnings: string[] = [];
  for (const { id, permissions } of levels) {
    if (permissions === undefined) continue;
    const beyond = new Set(capabilities?.flatMap((granted) => widening(permissions, granted)));
    const vain = permissions.filter((asked) => beyond.has(asked));
    if (vain.length > 0) {
      warnings.push(`<permissions> of ${id} asks for more than what it extends grants: ${vain.join(', ')}`);
    }
    capabilities = intersect(permissions, capabilities);
  }
  return { capabilities, warnings };
}
