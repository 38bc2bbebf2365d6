import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Config } from '../../config/config.ts';
import { configStamp } from '../../config/config-files.ts';
import type { ConfigSources } from '../../config/layers.ts';
import { loadConfig } from '../../config/load.ts';
import type { ConfigReading } from '../../core/control-surface.ts';
import type { Failure } from '../../core/errors.ts';
import { createLiveConfig } from './live-config.ts';

const systemDir = fileURLToPath(new URL('../../../config', import.meta.url));

let projectDir: string;
beforeEach(() => (projectDir = mkdtempSync(join(tmpdir(), 'skein-live-'))));
afterEach(() => rmSync(projectDir, { recursive: true }));

const sources = (): ConfigSources => ({ systemDir, projectDir });
const shipped = loadConfig({ systemDir }).config;

/** Has a worker that gives this answer; resolves to what was put in force, and told. */
async function reload(
  answer: () => ConfigReading,
  warnings: readonly string[] = [],
): Promise<{
  readonly adopted: readonly Config[];
  readonly problems: readonly Failure[];
  readonly stamps: readonly unknown[];
  readonly refused: unknown;
}> {
  const adopted: Config[] = [];
  const problems: Failure[] = [];
  const stamps: unknown[] = [];
  const live = createLiveConfig({
    config: shipped,
    sources: sources(),
    warnings,
    reader: () => ({ readConfig: () => Promise.resolve(answer()) }),
    read: (stamp) => void stamps.push(stamp),
    adopt: (config) => void adopted.push(config),
    problem: (failure) => void problems.push(failure),
  });
  const refused = await live.clear().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { adopted, problems, stamps, refused };
}

const reading = (config: Config): ConfigReading => ({ config: { ...config }, warnings: [] });

test('Storage schemas stay as they were at the start, which is told; the rest is put in force', async () => {
  const { config } = loadConfig({ systemDir, overrides: { resilience: { retry: { max_retries: 9 } } } });
  const tables = { ...config.tables, ledger: { ...config.tables.ledger, name: 'money' } };
  const { adopted, problems } = await reload(() => reading({ ...config, tables }));
  expect(adopted).toMatchObject([{ resilience: { retry: { maxRetries: 9 } }, tables: shipped.tables }]);
  expect(adopted.every((next) => Object.isFrozen(next.resilience.retry))).toBe(true);
  expect(problems).toMatchObject([{ code: 'not_available', message: expect.stringContaining('storage schemas') }]);
});

test('Where states are kept stays as it was at the start, which is told; triggers are put in force', async () => {
  const checkpoint = { triggers: { post_llm: false }, persistence: { format: 'json' } };
  const { config } = loadConfig({ systemDir, overrides: { resilience: { checkpoint } } });
  const { adopted, problems } = await reload(() => reading(config));
  const kept = { triggers: { postLlm: false }, persistence: { format: 'sqlite' } };
  expect(adopted).toMatchObject([{ resilience: { checkpoint: kept } }]);
  expect(problems).toMatchObject([{ code: 'not_available', message: expect.stringContaining('persistence') }]);
});

test.each([
  [
    'what the parser refuses',
    { code: 'invalid_config', message: 'no', where: { file: 'f', path: 'p' } },
    'invalid_config',
  ],
  ['what is no configuration', { config: { resilience: {} }, warnings: [] }, 'worker_lost'],
])('Nothing changes for %s', async (_what, answer, code) => {
  const { adopted, refused } = await reload(() => answer);
  expect([adopted, refused]).toMatchObject([[], { code, ...('where' in answer && { where: answer.where }) }]);
});

test('Files that change while they are read count as not read', async () => {
  const before = configStamp(sources());
  expect((await reload(() => reading(shipped))).stamps).toEqual([before]);
  const { stamps } = await reload(() => {
    mkdirSync(join(projectDir, '.ai/config'), { recursive: true });
    writeFileSync(join(projectDir, '.ai/config/agent.yaml'), 'unknown_price: zero');
    return reading(shipped);
  });
  expect(stamps).toEqual([undefined]);
});

test('What the user should know about the files is told, but for what was said of them before', async () => {
  const warnings = ['x.yml is not read', 'y.yml is not read'];
  const { problems } = await reload(() => ({ config: { ...shipped }, warnings }), warnings.slice(1));
  expect(problems).toMatchObject([{ code: 'invalid_config', message: 'x.yml is not read' }]);
});
