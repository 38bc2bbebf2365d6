import { cacheLimitsOf } from '../../src/config/cache-limits.ts';
import { marks } from '../../src/prompt/tiers/marks.ts';
import { SCHEMA_VERSION, type Row, type State } from './row.ts';

const TIERS = [1023, 1, 1024, 2048, 1].map((tokens) => ({ tokens }));

/** Which tiers of a prompt get a mark. */
function marked({ config }: State, model: string): readonly number[] {
  return marks(TIERS, cacheLimitsOf(config.cacheLimits, { kind: 'anthropic', model }));
}

export const CACHE_LIMIT_ROWS: readonly Row[] = [
  SCHEMA_VERSION,
  {
    path: 'providers.anthropic.breakpoints',
    to: () => 2,
    sees: (state) => marked(state, 'claude-sonnet-4-5'),
  },
  {
    path: 'providers.anthropic.minimum_tokens',
    to: () => 2048,
    sees: (state) => marked(state, 'claude-sonnet-4-5'),
  },
  {
    path: 'providers.anthropic.models.*',
    to: () => 8192,
    sees: (state, path) => marked(state, `${path.split('.').at(-1) ?? ''}-20260101`),
  },
];
