import { hooksAtWork, waitedForCompaction } from './hooks-at-work.ts';
import { nameIn, SCHEMA_VERSION, stateOf, type Row, type State } from './row.ts';
import { shown } from './shown.ts';

/** What is left of the hooks when a project switches off the one that ships under this id. */
function withoutIt({ documents: { layers } }: State, path: string): unknown {
  const list = path.startsWith('infra_hooks') ? 'infra_hooks' : 'builtin_hooks';
  const document = layers.hook_conditions[0]?.document ?? {};
  const off = { [list]: [{ id: nameIn(path), ...WHOLE, condition: { any: [] } }] };
  return hooksAtWork(stateOf('hook_conditions', document, { hook_conditions: off }), path);
}

/** A hook that is valid if there is none of its id to be laid over. */
const WHOLE = { event: 'after_complete', action: { primary: 'load', item_type: 'knowledge', item_id: 'none' } };

const OTHER: Readonly<Record<string, unknown>> = {
  load: 'search',
  execute: 'load',
  tool: 'knowledge',
  directive: 'tool',
  knowledge: 'tool',
};

/** Of hooks that run at several events. */
const LISTED_EVENT: Row = { path: 'builtin_hooks[*].event[*]', to: () => 'before_step', sees: hooksAtWork };

/** Hooks with these keys, wherever they stand. */
function rowsOf(list: string): readonly Row[] {
  return [
    {
      path: `${list}[*].event`,
      to: (event) => (event === 'before_step' ? 'after_step' : 'before_step'),
      sees: hooksAtWork,
    },
    ...(list === 'builtin_hooks' ? [LISTED_EVENT] : []),
    { path: `${list}[*].action.primary`, to: (value) => OTHER[String(value)], sees: hooksAtWork },
    { path: `${list}[*].action.item_type`, to: (value) => OTHER[String(value)], sees: hooksAtWork },
    { path: `${list}[*].action.item_id`, to: () => 'rye/agent/core/Behavior', sees: hooksAtWork },
    { path: `${list}[*].description`, sees: shown('hook_conditions') },
  ];
}

export const HOOK_CONDITION_ROWS: readonly Row[] = [
  SCHEMA_VERSION,
  ...rowsOf('builtin_hooks'),
  ...rowsOf('infra_hooks'),
  { path: 'builtin_hooks[*].id', sees: withoutIt },
  { path: 'infra_hooks[*].id', sees: withoutIt },
  // The last of a layer goes first in the one before; any other goes last in the one after.
  {
    path: 'builtin_hooks[*].layer',
    to: (_layer, path) => (nameIn(path) === 'ctx_directive_instruction' ? 1 : 3),
    sees: hooksAtWork,
  },
  { path: 'infra_hooks[*].layer', to: () => 2, sees: hooksAtWork },
  { path: 'builtin_hooks[*].position', to: () => 'after', sees: hooksAtWork },
  { path: 'builtin_hooks[*].wrap', sees: hooksAtWork },
  { path: 'builtin_hooks[*].condition.path', sees: hooksAtWork },
  { path: 'builtin_hooks[*].condition.op', to: (op) => (op === 'gte' ? 'lt' : 'ne'), sees: hooksAtWork },
  { path: 'builtin_hooks[*].condition.all[*].path', sees: hooksAtWork },
  { path: 'builtin_hooks[*].condition.all[*].op', to: () => 'ne', sees: hooksAtWork },
  { path: 'builtin_hooks[*].condition.all[*].value', to: () => 'unheard_of', sees: hooksAtWork },
  {
    path: 'builtin_hooks[*].condition.all[*].value[*]',
    to: () => 'duration_seconds_exceeded',
    sees: hooksAtWork,
  },
  { path: 'builtin_hooks[*].condition.all[*].not.path', sees: hooksAtWork },
  { path: 'builtin_hooks[*].condition.all[*].not.op', to: () => 'eq', refused: /operator "eq" needs a value/ },
  { path: 'builtin_hooks[*].timeout_ms', sees: waitedForCompaction },
  {
    path: 'builtin_hooks[*].condition.value',
    to: (value) => (typeof value === 'number' ? 0.9 : 'unheard_of'),
    sees: hooksAtWork,
  },
  { path: 'builtin_hooks[*].condition.value[*]', to: () => 'duration_seconds_exceeded', sees: hooksAtWork },
  {
    path: 'builtin_hooks[*].action.params.action',
    to: (action) => (action === 'suspend' ? 'abort' : 'suspend'),
    sees: hooksAtWork,
  },
  { path: 'builtin_hooks[*].action.params.error', sees: hooksAtWork },
  { path: 'builtin_hooks[*].action.params.limit_type', sees: hooksAtWork },
  { path: 'builtin_hooks[*].action.params.current_value', sees: hooksAtWork },
  { path: 'builtin_hooks[*].action.params.pressure_ratio', sees: hooksAtWork },
  { path: 'builtin_hooks[*].action.params.tokens_used', sees: hooksAtWork },
  { path: 'infra_hooks[*].action.params.event_type', to: () => 'warning', sees: hooksAtWork },
  { path: 'infra_hooks[*].action.params.payload.turn', to: () => 0, sees: hooksAtWork },
];
