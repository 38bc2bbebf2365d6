import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, parse } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse as parseYaml } from 'yaml';
import type { Config } from '../../src/config/config.ts';
import { loadConfig } from '../../src/config/load.ts';
import type { Tool } from '../../src/core/tool.ts';
import type { Runtime } from '../../src/host/runtime.ts';
import { createModuleTool } from '../../src/tools/module-tools.ts';
import { project, SCRIPTED, type Project, type Sketch } from '../fixtures/scene.ts';
import { createModel, draw, type Mood } from './model.ts';
import type { Node } from './world.ts';

/** What a run has to do: a project, its config, its model, tools and hooks. */
export type Workload = {
  readonly projectPath: string;
  readonly systemDir: string;
  readonly config: Config;
  readonly scripts: Readonly<Record<string, unknown>>;
  readonly tools: (node: Node) => readonly Tool[];
  /** Registers what hooks call. */
  readonly hooks: (runtime: Runtime) => void;
};

/** Makes workloads on one project. */
export interface Workloads extends Disposable {
  draw(mood: Mood): Workload;
}

const SYSTEM_DIR = fileURLToPath(new URL('../../config', import.meta.url));
/** Far more than a run lasts: what hangs is to be seen. */
const FOREVER = 1_000_000;

const LIMITS = { turns: 8, spend: 0.0006, duration_seconds: FOREVER };
const DIRECTIVES: Readonly<Record<string, Sketch>> = {
  root: { limits: { ...LIMITS, spend: 0.01 } },
  branch: { limits: { ...LIMITS, spend: 0.003 } },
  leaf: { limits: LIMITS },
  guarded: { limits: LIMITS, hooks: '<hook id="gate" event="before_tool"><action function="gate"/></hook>' },
  short: { limits: { ...LIMITS, turns: 2 } },
};

/** How `resilience.yaml` may stand. */
const RESILIENCE: readonly Readonly<Record<string, object>>[] = [
  {},
  { concurrency: { max_total_threads: 2, max_concurrent_children: 2 } },
  { child_policy: { on_parent_cancel: 'allow', on_parent_complete: 'wait', on_parent_error: 'wait' } },
  {
    child_policy: { on_parent_complete: 'cascade_cancel' },
    limits: { enforcement: { on_exceed: 'suspend' } },
    coordination: { on_restart: 'cancel' },
  },
  {
    limits: { enforcement: { on_exceed: 'fail' } },
    coordination: { on_restart: 'suspend', fail_fast: true },
    child_policy: { on_parent_cancel: 'wait' },
  },
  { checkpoint: { triggers: { pre_turn: false, post_tools: false } }, concurrency: { max_total_threads: 3 } },
];

/** Writes the project and reads its configurations. */
export function createWorkloads(): Workloads {
  const made = project(DIRECTIVES);
  const systemDir = smallSystem(made);
  const configs = RESILIENCE.map((resilience) => configOf(made, { systemDir, resilience }));
  return {
    draw(mood) {
      const config = draw(
        mood.random,
        configs.map((one) => [1, one] as const),
      );
      return {
        projectPath: made.path,
        systemDir,
        config,
        scripts: { main: createModel(mood) },
        tools: (node) => toolsFor(node, mood),
        hooks: (runtime) => runtime.registerHook('gate', () => (mood.isCalm ? undefined : gate(mood.random))),
      };
    },
    [Symbol.dispose]: () => made[Symbol.dispose](),
  };
}

/**
 * The shipped config with what of its space is needed: every worker of every run reads all of it, which as JSON takes a
 * fraction of the time.
 */
function smallSystem({ path }: Project): string {
  const systemDir = join(path, 'system');
  const threads = join('space', 'tools', 'rye', 'agent', 'threads');
  cpSync(SYSTEM_DIR, systemDir, { recursive: true, filter: (file) => file !== join(SYSTEM_DIR, 'space') });
  for (const file of readdirSync(join(SYSTEM_DIR, threads), { recursive: true, encoding: 'utf8' })) {
    const { dir, name, ext } = parse(file);
    if (ext !== '.yaml') continue;
    const tool: unknown = parseYaml(readFileSync(join(SYSTEM_DIR, threads, file), 'utf8'));
    mkdirSync(join(systemDir, threads, dir), { recursive: true });
    writeFileSync(join(systemDir, threads, dir, `${name}.json`), JSON.stringify(tool));
  }
  return systemDir;
}

type ConfigParts = { readonly systemDir: string; readonly resilience: Readonly<Record<string, object>> };

function configOf({ path }: Project, { systemDir, resilience }: ConfigParts): Config {
  const price = { input: 0.1, output: 1, cache_read: 0, cache_write: 0 };
  const models = { main: { provider: 'scripted', context_window: 200_000, max_output_tokens: 100, price } };
  const coordination = {
    wait_timeout_seconds: FOREVER,
    worker_heartbeat_seconds: FOREVER,
    ...resilience['coordination'],
  };
  const retry = { policies: { exponential: { type: 'exponential', base: 0.5, max_delay: 2 } } };
  const overrides = {
    resilience: { ...resilience, coordination, retry },
    agent: { ...SCRIPTED, models, trust: { project: 'off', system: 'off' } },
  };
  return loadConfig({ systemDir, projectDir: path, overrides }).config;
}

function gate(random: () => number): object | undefined {
  return draw(random, [
    [3, undefined],
    [1, { action: 'escalate' }],
    [0.5, { action: 'suspend' }],
    [0.5, { action: 'skip' }],
    [0.2, { action: 'fail', error: 'not here' }],
  ]);
}

function toolsFor({ clock }: Node, { random }: Mood): readonly Tool[] {
  const input = { type: 'object' };
  const later = <Value>(value: Value): Promise<Value> =>
    new Promise((resolve) => void clock.setTimer(random() ** 3 * 5_000, () => resolve(value)));
  const fail = async (): Promise<never> => {
    await later(undefined);
    throw new Error('it fails');
  };
  return [
    { id: 'app/echo', description: 'echo', input, idempotent: true, run: () => 'echo' },
    { id: 'app/effect', description: 'effect', input, run: () => later('done') },
    { id: 'app/fail', description: 'fail', input, run: fail },
  ].map((entry) => createModuleTool(entry, 'simulation'));
}
