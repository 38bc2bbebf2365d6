export type {
  AroundItems,
  Compactor,
  FileContext,
  HistoryMessage,
  HistoryStore,
  ItemKey,
  RefGraph,
  SymbolIndex,
  TierAssignment,
  TierEvent,
  TierItem,
  TierKey,
  TierPolicy,
  TierPolicyName,
  TokenCounter,
  UsageSink,
} from './core/assembly.ts';
export type { Review, ReviewCommit, ReviewFile } from './core/review.ts';
export { createGatherer, type Gathered, type Gatherer, type GathererOptions } from './prompt/tiers/assemble-gather.ts';
export type { TierSources } from './prompt/tiers/assemble-items.ts';
export type { AssemblyInput, TierContent, TieredInput } from './prompt/tiers/assemble-input.ts';
export {
  assembleMessages,
  assembleTieredMessages,
  type ChatMessage,
  type FlatMessages,
  type ImagePart,
  type TextPart,
  type TieredMessages,
} from './prompt/tiers/assemble-messages.ts';
export { assembleRequest, type AssembledRequest, type TieredRequest } from './prompt/tiers/assemble-request.ts';
export { fileBlock, fileTree, urlBlocks, type FetchedUrl } from './prompt/tiers/blocks.ts';
export { createCacheReport, type CacheReport } from './prompt/tiers/cache-report.ts';
export { compactHistory, type CompactionLimits, type SizedMessage } from './prompt/tiers/compaction.ts';
export {
  FILE_TREE_HEADER,
  FILES_ACTIVE_HEADER,
  FILES_L0_HEADER,
  FILES_L1_HEADER,
  FILES_L2_HEADER,
  FILES_L3_HEADER,
  REPO_MAP_HEADER,
  REVIEW_CONTEXT_HEADER,
  TIER_SYMBOLS_HEADER,
  URL_CONTEXT_HEADER,
} from './prompt/tiers/headers.ts';
export type { CacheLimits } from './prompt/tiers/marks.ts';
export { reviewBlock } from './prompt/tiers/review.ts';
export { openSymbolIndex, type OpenSymbolIndex } from './symbols/open-symbol-index.ts';
export { buildRefGraph, type LinkedFile } from './symbols/ref-graph.ts';
export { createTierPolicy, tierLayout, type TierLayout } from './prompt/tiers/policy-by-name.ts';
