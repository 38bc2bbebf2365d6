import { decisions } from './hooks-at-work.ts';
import { SCHEMA_VERSION, type Row } from './row.ts';

const MINE = {
  id: 'mine',
  event: 'before_step',
  action: {
    primary: 'execute',
    item_type: 'tool',
    item_id: 'rye/agent/threads/internal/control',
    params: { action: 'abort' },
  },
};

export const HOOK_ROWS: readonly Row[] = [SCHEMA_VERSION, { path: 'hooks', to: () => [MINE], sees: decisions }];
