import type { HookSpec } from '../core/item.ts';
import type { AgentConfig } from './agent.ts';
import type { BudgetConfig } from './budget.ts';
import type { CacheLimitsConfig } from './cache-limits.ts';
import type { ErrorsConfig } from './error-patterns.ts';
import type { EventsConfig } from './events.ts';
import type { SpaceExtractors } from './extractors.ts';
import type { SystemHooks } from './hooks.ts';
import type { McpConfig } from './mcp.ts';
import type { ResilienceConfig } from './resilience.ts';
import type { TableSchema } from './tables.ts';

/**
 * Everything that can be configured, merged, checked and frozen. Plain data without functions, so that it travels to
 * workers by structured clone (where it should be frozen again with `deepFreeze`).
 */
export type Config = {
  readonly events: EventsConfig;
  readonly errors: ErrorsConfig;
  /** In the order of contracts, "Hooks": project, user, built-in; then infrastructure. Each hook has its `layer`. */
  readonly hooks: SystemHooks & { readonly project: readonly HookSpec[]; readonly user: readonly HookSpec[] };
  readonly resilience: ResilienceConfig;
  readonly agent: AgentConfig;
  /** MCP servers by name. */
  readonly mcp: McpConfig;
  /** What the providers' caches take. */
  readonly cacheLimits: CacheLimitsConfig;
  /** Whether keys of the project vouch for its items: not if the user or the embedder wants `trust.project: strict`. */
  readonly projectVouches: boolean;
  /** File types and fields of directives, tools and knowledge, for the items of each space. */
  readonly extractors: SpaceExtractors;
  /** Operations of the budget ledger. */
  readonly budget: BudgetConfig;
  readonly tables: {
    readonly ledger: TableSchema;
    readonly registry: TableSchema;
    readonly events: TableSchema;
    readonly checkpoints: TableSchema;
    readonly approvals: TableSchema;
    readonly entries: TableSchema;
    readonly upkeep: TableSchema;
    readonly home: TableSchema;
  };
};
