import { readdirSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { AGENT_ROWS } from './config-keys/agent.ts';
import { CACHE_LIMIT_ROWS } from './config-keys/cache-limits.ts';
import { closeSamples } from './config-keys/extractors-at-work.ts';
import { extractorRows } from './config-keys/extractors.ts';
import { ERROR_ROWS } from './config-keys/error-classification.ts';
import { EVENT_ROWS } from './config-keys/events.ts';
import { HOOK_CONDITION_ROWS } from './config-keys/hook-conditions.ts';
import { HOOK_ROWS } from './config-keys/hooks.ts';
import { MCP_ROWS } from './config-keys/mcp.ts';
import { fits, keysOf, outcome, SHIPPED, stateWith, SYSTEM_DIR, type Row, type State } from './config-keys/row.ts';
import { RESILIENCE_ROWS } from './config-keys/resilience.ts';
import { TABLE_ROWS } from './config-keys/tables.ts';
import { closeWorker } from './config-keys/workers-at-work.ts';

/*
 * Every leaf key of every shipped config file has a row that changes it and sees that something behaves otherwise. What
 * has no row fails.
 */

const TABLES: Readonly<Record<string, readonly Row[]>> = {
  agent: AGENT_ROWS,
  mcp: MCP_ROWS,
  cache_limits: CACHE_LIMIT_ROWS,
  hooks: HOOK_ROWS,
  hook_conditions: HOOK_CONDITION_ROWS,
  resilience: RESILIENCE_ROWS,
  error_classification: ERROR_ROWS,
  events: EVENT_ROWS,
  approvals_schema: TABLE_ROWS,
  budget_entries_schema: TABLE_ROWS,
  upkeep_schema: TABLE_ROWS,
  home_schema: TABLE_ROWS,
  budget_ledger_schema: TABLE_ROWS,
  thread_registry_schema: TABLE_ROWS,
  event_log_schema: TABLE_ROWS,
  checkpoint_schema: TABLE_ROWS,
  'extractors/directive_extractor': extractorRows('directive'),
  'extractors/tool_extractor': extractorRows('tool'),
  'extractors/knowledge_extractor': extractorRows('knowledge'),
};

/**
 * The YAML files below are tools: items, not config. They are signed as a whole and taken or shadowed as a whole, no key of
 * theirs can be overridden; what each one does is shown where tools are (src/tools, test/runtime-items.test.ts).
 */
const ITEMS = 'space/';

afterAll(() => {
  closeWorker();
  closeSamples();
});

describe('The table of config keys', () => {
  test('has every shipped file that is no item', () => {
    const files = readdirSync(SYSTEM_DIR, { recursive: true, encoding: 'utf8' }).filter((file) =>
      file.endsWith('.yaml'),
    );
    const config = files.filter((file) => !file.startsWith(ITEMS));
    expect(Object.keys(TABLES).toSorted()).toEqual(config.map((file) => file.replace(/\.yaml$/, '')).toSorted());
  });

  test.each(Object.entries(TABLES))('has one row for each key of %s.yaml', (name, rows) => {
    const counted = keysOf(name).map((path) => {
      const found = rows.filter((row) => fits(row.path, path)).length;
      return found === 1 ? undefined : `${path}: ${found} rows`;
    });
    expect(counted.filter((fault) => fault !== undefined)).toEqual([]);
  });

  test('has no row without a key', () => {
    // The storage schemas share their rows.
    const keys = new Map<readonly Row[], string[]>();
    for (const [name, rows] of Object.entries(TABLES)) {
      keys.set(rows, [...(keys.get(rows) ?? []), ...keysOf(name)]);
    }
    const idle = [...keys].flatMap(([rows, paths]) =>
      rows.filter((row) => !paths.some((path) => fits(row.path, path))),
    );
    expect(idle.map(({ path }) => path)).toEqual([]);
  });
});

for (const [name, rows] of Object.entries(TABLES)) {
  const cases = keysOf(name).flatMap((path) =>
    rows.filter((row) => fits(row.path, path)).map((row) => [path, row] as const),
  );
  const refused = cases.flatMap(([path, row]) => ('refused' in row ? [[path, row] as const] : []));
  const seen = cases.flatMap(([path, row]) => ('sees' in row ? [[path, row] as const] : []));

  describe(`In ${name}.yaml`, () => {
    test.each(refused)('%s has no other value that is allowed', (path, row) => {
      expect(outcome(() => stateWith(name, row, path))).toMatch(row.refused);
    });

    test.each(seen)('%s does something', async (path, row) => {
      const before = JSON.stringify(await row.sees(SHIPPED, path));
      const after = await behaviour(() => stateWith(name, row, path), row, path);
      expect(after).not.toBe(before);
    });
  });
}

/** How things are done after a change; or why the change is refused, if another key refers to this one. */
async function behaviour(change: () => State, row: Extract<Row, { sees: unknown }>, path: string): Promise<string> {
  try {
    const state = change();
    return JSON.stringify(await row.sees(state, path));
  } catch (thrown) {
    if (row.referred?.test(String(thrown))) return String(thrown);
    throw thrown;
  }
}
