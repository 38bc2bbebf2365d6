import { dottedId } from '../core/dotted-id.ts';
import { compileWildcard } from '../core/wildcard.ts';

/** A capability pattern, and how specific it is: by name above all wildcards, longer wildcards above shorter. */
export type Grant = {
  readonly pattern: string;
  readonly rank: number;
  readonly matches: (capability: string) => boolean;
};

/** The capability that a call of this tool needs. */
export function executeCapability(toolId: string): string {
  return `rye.execute.tool.${dottedId(toolId)}`;
}

/** Compiles patterns, in their order. */
export function compileGrants(patterns: readonly string[]): readonly Grant[] {
  return patterns.map((pattern) => ({
    pattern,
    rank: pattern.includes('*') ? pattern.length : Number.MAX_SAFE_INTEGER,
    matches: compileWildcard(dottedId(pattern)),
  }));
}

/** The most specific grant of a tool, the first of equal ones. */
export function bestGrant(toolId: string, grants: readonly Grant[]): Grant | undefined {
  const wanted = executeCapability(toolId);
  let best: Grant | undefined;
  for (const grant of grants) if (grant.rank > (best?.rank ?? 0) && grant.matches(wanted)) best = grant;
  return best;
}
