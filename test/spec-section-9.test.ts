import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClassifier } from '../src/config/classify.ts';
import { CONFIG_NAMES } from '../src/config/layers.ts';
import { loadConfig } from '../src/config/load.ts';
import type { StoredEvent } from '../src/core/events.ts';
import { compileTemplate } from '../src/core/interpolate.ts';
import { readDirective } from '../src/items/read-directive.ts';
import { compileHooks } from '../src/thread/hooks/hooks.ts';
import { readRequest } from '../src/tools/primary-request.ts';
import { call, NEVER, refusal, scene, until, type Part, type Scene } from './fixtures/scene.ts';

/* S2 §9, "Verification": the list, row by row. */

const systemDir = fileURLToPath(new URL('../config/', import.meta.url));
const { config } = loadConfig({ systemDir });

const CLASSIFIER = 'rye/agent/threads/internal/classifier';
const hook = (event: string, action: string): string => `<hook id="h" event="${event}">${action}</hook>`;

const PARTS: Readonly<Record<string, Part>> = {
  plain: { says: [{ text: 'done' }] },
  turns: { says: [call('rye_file_system_ls', { path: '.' }), { text: 'done' }] },
  broken: { says: [{ error: { status_code: 401, message: 'no' } }] },
  endless: { says: [NEVER] },
  greeting: {
    inputs: ['who', 'no?', 'day?'],
    body: 'Hello {input:who}{input:no?}, {input:day:today}.',
    says: [{ text: 'hi' }],
  },
  on_directive: {
    hooks: hook(
      'thread_started',
      '<execute item_type="directive" item_id="greeting"><param name="who" value="Ada"/></execute>',
    ),
    says: [{ text: 'done' }],
  },
  on_tool: {
    hooks: hook(
      'before_step',
      '<execute item_type="tool" item_id="rye/file-system/write"><param name="path" value="by-hook.txt"/><param name="content" value="written"/></execute>',
    ),
    says: [{ text: 'done' }],
  },
  deciding: {
    hooks: hook(
      'before_step',
      '<execute item_type="tool" item_id="rye/agent/threads/internal/control"><param name="action" value="fail"/></execute>',
    ),
    says: [{ text: 'never said' }],
  },
  on_knowledge: {
    hooks: hook('thread_started', '<load item_type="knowledge" item_id="note"/>'),
    permissions: '<load><knowledge>*</knowledge></load>',
    says: [{ text: 'done' }],
  },
  from_system: {
    hooks: hook('thread_started', '<load item_type="knowledge" item_id="note" source="system"/>'),
    permissions: '<load><knowledge>*</knowledge></load>',
    says: [{ text: 'done' }],
  },
  asking: { hooks: hook('before_step', '<action function="see"/>'), says: [{ text: 'done' }] },
};

let it: Scene;
beforeAll(async () => {
  it = await scene(PARTS);
  it.project.write('.ai/knowledge/note.md', '---\ntitle: Note\n---\n\nMind the gap.\n');
});
afterAll(() => it[Symbol.asyncDispose]());

async function run(directive: string, inputs: Record<string, unknown> = {}) {
  const handle = await it.runtime.spawn(directive, inputs);
  const ending = await handle.result;
  return { id: handle.id, ending, log: it.project.log(handle.id) };
}

const types = (log: readonly StoredEvent[]): string[] => log.map(({ event_type }) => event_type);
const firstPrompt = (log: readonly StoredEvent[]): string => {
  const said = log.find((event) => event.event_type === 'cognition_in');
  return said?.event_type === 'cognition_in' ? said.payload.text : '';
};
const read = (xml: string) =>
  readDirective(`# T\n\n\`\`\`xml\n${xml}\n\`\`\`\n\nDo it.\n`, { id: 'n', file: 'n.md', known: new Set() }).directive;

/** A row's words, and what shows that it holds. */
type Row = readonly [row: string, proof: () => unknown];

const ROWS: readonly Row[] = [
  [
    'All configs load correctly',
    () => {
      expect(CONFIG_NAMES.filter((name) => !existsSync(join(systemDir, `${name}.yaml`)))).toEqual([]);
      expect(loadConfig({ systemDir }).warnings).toEqual([]);
    },
  ],
  [
    'Project overrides work (dict deep-merge + list merge-by-id)',
    () => {
      const overrides = {
        resilience: { retry: { max_retries: 9 } },
        error_classification: { patterns: [{ id: 'http_429', category: 'quota' }] },
      };
      const mine = loadConfig({ systemDir, overrides }).config;
      expect(mine.resilience).toEqual({ ...config.resilience, retry: { ...config.resilience.retry, maxRetries: 9 } });
      const named = createClassifier(mine.errors)({ status_code: 429 });
      expect(named).toMatchObject({ code: 'http_429', category: 'quota' });
    },
  ],
  [
    'ToolDispatcher._get() resolves top-level action attrs before falling back to params',
    () => {
      const action = {
        primary: 'load',
        item_type: 'tool',
        item_id: 'top',
        params: { item_id: 'below', source: 'system' },
      };
      expect(readRequest(action).request).toMatchObject({ id: 'top', source: 'system' });
    },
  ],
  [
    'ToolDispatcher correctly translates params→parameters for all 4 primaries',
    () => {
      const own = { execute: {}, load: { source: 'system' }, sign: { source: 'project' }, search: { query: 'x' } };
      for (const [primary, params] of Object.entries(own)) {
        const action = { primary, item_type: 'tool', ...(primary !== 'search' && { item_id: 'a/b' }) };
        const asked = (name: string) => readRequest({ ...action, [name]: params }).request;
        expect(asked('params')).toEqual(asked('parameters'));
      }
    },
  ],
  [
    'Hook actions work on all 3 item types (directive/tool/knowledge)',
    async () => {
      const [onDirective, onTool, onKnowledge] = [
        await run('on_directive'),
        await run('on_tool'),
        await run('on_knowledge'),
      ];
      for (const { ending, log } of [onDirective, onTool, onKnowledge]) {
        expect(ending).toMatchObject({ status: 'completed' });
        expect(types(log)).not.toContain('warning');
      }
      // What each of them has done.
      expect(firstPrompt(onDirective.log)).toContain('Hello Ada, today.');
      expect(readFileSync(join(it.project.path, 'by-hook.txt'), 'utf8')).toBe('written');
      expect(firstPrompt(onKnowledge.log)).toContain('Mind the gap.');
    },
  ],
  [
    '${...} interpolation resolves paths, handles missing gracefully',
    () => {
      expect(compileTemplate({ a: '${x.y}', b: '-${no.such}-' })({ x: { y: 1 } })).toEqual({ a: 1, b: '--' });
    },
  ],
  [
    'condition_evaluator shared between error_loader and safety_harness',
    () => {
      const users = ['config/classify.ts', 'thread/hooks/hooks.ts'].map((file) =>
        readFileSync(fileURLToPath(new URL(`../src/${file}`, import.meta.url)), 'utf8'),
      );
      for (const text of users) expect(text).toMatch(/compileCondition.*from '(?:\.\.\/)+core\/condition\.ts'/);
    },
  ],
  [
    'Error classification uses config patterns via error_loader.classify()',
    async () => {
      const { log } = await run('broken');
      const event = log.find(({ event_type: type }) => type === 'error_classified');
      const { code, category } = createClassifier(config.errors)({ status_code: 401 });
      expect(event?.payload).toMatchObject({ error_code: code, category, retryable: false });
    },
  ],
  [
    'Event emitter uses envelope with thread_id, timestamp, sequence',
    async () => {
      const handle = await it.runtime.spawn('plain');
      const event = await until(handle, 'thread_started');
      expect(event).toMatchObject({ thread_id: handle.id, sequence: expect.any(Number), criticality: 'critical' });
      expect(new Date(event.timestamp).toISOString()).toBe(event.timestamp);
    },
  ],
  [
    'All limit fields use canonical names (turns, tokens, not max_*)',
    () => {
      const text = readFileSync(join(systemDir, 'resilience.yaml'), 'utf8');
      expect(text).toMatch(/^ {4}turns: \d+\n {4}tokens: \d+/m);
      // `max_tokens` is a key of tool_preload, not a limit.
      expect(text).not.toMatch(/max_(turns|spend)|^ {4}max_tokens/m);
      expect(read('<directive name="n"><metadata><limits turns="3"/></metadata></directive>').limits).toMatchObject({
        turns: 3,
      });
    },
  ],
  [
    'SafetyHarness has two hook methods: run_hooks() (control) and run_hooks_context() (thread_started)',
    async () => {
      // One decides, the other one delivers text.
      const { ending } = await run('deciding');
      expect(ending).toMatchObject({ status: 'error', error: { code: 'hook_failed' }, cost: { turns: 0 } });
      expect(types((await run('on_knowledge')).log)).toContain('context_injected');
    },
  ],
  [
    'run_hooks_context() maps LoadTool data.content → context string',
    async () => {
      expect(firstPrompt((await run('on_knowledge')).log)).toContain('Mind the gap.');
    },
  ],
  [
    'run_hooks() receives real thread_context (emitter, transcript, thread_id) — not None',
    async () => {
      const seen: unknown[] = [];
      it.runtime.registerHook('see', ({ context }) => void seen.push(context));
      const { id } = await run('asking');
      expect(seen).toMatchObject([{ thread_id: id, turn: 0, cost: { turns: 0 } }]);
    },
  ],
  [
    'orchestrator.register_thread() called by runner at start, complete_thread() in finally',
    async () => {
      const handle = await it.runtime.spawn('endless');
      const active = () => it.runtime.orchestrator.listActive();
      expect(await active()).toMatchObject({ activeThreads: [handle.id] });
      await handle.cancel();
      expect(await active()).toEqual({ success: true, count: 0, activeThreads: [] });
    },
  ],
  [
    'Context injection hooks specify source: "system" for system-space knowledge items',
    async () => {
      // A hook may name the space. The two that ship do not (S3): a project may put its own item in the place of theirs.
      const { log, ending } = await run('from_system');
      expect(ending).toMatchObject({ status: 'completed' });
      expect(firstPrompt(log)).not.toContain('Mind the gap.');
      expect(types(log)).toContain('warning');
    },
  ],
  [
    'Hook evaluation order: layer 1 → 2 → 3 (sorted by _merge_hooks() in thread_directive)',
    () => {
      const one = (id: string) =>
        ({ id, event: 'before_step', action: { primary: 'execute', item_type: 'tool', item_id: CLASSIFIER } }) as const;
      const set = compileHooks(
        { infra: [one('c')], builtin: [one('b')], user: [], project: [], directive: [one('a')] },
        'd',
      );
      expect(set.get('before_step')?.map(({ id, layer }) => `${layer}${id}`)).toEqual(['1a', '2b', '3c']);
    },
  ],
  [
    'directive.get("actions") used everywhere, never directive.get("steps")',
    () => {
      const { actions, ...rest } = read(
        '<directive name="n"><process><load item_type="tool" item_id="a"/></process></directive>',
      );
      expect(actions).toHaveLength(1);
      expect(rest).not.toHaveProperty('steps');
    },
  ],
  [
    'body used as user prompt (already interpolated by ExecuteTool), content as reference XML',
    async () => {
      expect(firstPrompt((await run('greeting', { who: 'Ada' })).log)).toContain('Hello Ada, today.');
      const directive = read('<directive name="n"/>');
      expect(directive).toMatchObject({
        body: expect.stringContaining('Do it.'),
        content: expect.stringContaining('<directive'),
      });
    },
  ],
  [
    '{input:key}, {input:key?}, {input:key:default} interpolation implemented in execute.py',
    async () => {
      const { log } = await run('greeting', { who: 'Ada', no: '!', day: 'now' });
      expect(firstPrompt(log)).toContain('Hello Ada!, now.');
      expect(firstPrompt((await run('greeting', { who: 'Ada' })).log)).toContain('Hello Ada, today.');
    },
  ],
  [
    'Required input validation in ExecuteTool._run_directive() before interpolation',
    async () => {
      expect(await refusal(() => it.runtime.spawn('greeting'))).toMatchObject({ code: 'missing_input' });
    },
  ],
  [
    'Parser scans entire XML tree for action tags, not just <process>/<step>',
    () => {
      const inner =
        '<other><deep><search query="x"/></deep></other><process><step><load item_type="tool" item_id="a"/></step></process>';
      const { actions } = read(`<directive name="n">${inner}</directive>`);
      expect(actions.map(({ primary }) => primary)).toEqual(['search', 'load']);
    },
  ],
  [
    'All action tags use uniform action.update(elem.attrib) — no execute special-casing',
    () => {
      const { actions } = read(
        '<directive name="n"><execute primary="sign" item_type="tool" item_id="a" extra="1"/></directive>',
      );
      expect(actions).toEqual([expect.objectContaining({ primary: 'execute', item_id: 'a', extra: '1' })]);
    },
  ],
  [
    'Internal tools follow standard tool contract (signable, discoverable)',
    () => {
      const folder = join(systemDir, 'space', 'tools', 'rye', 'agent', 'threads', 'internal');
      const names =
        'budget_ops cancel_checker classifier control cost_tracker emitter limit_checker state_persister'.split(' ');
      const found = readdirSync(folder).map((file) => file.split('.')[0]);
      expect(new Set(found)).toEqual(new Set(names));
    },
  ],
  [
    'Persistence paths: .ai/threads/{thread_id}/state.json, .ai/threads/budget_ledger.db, .ai/threads/registry.db',
    async () => {
      // Contracts, "Store": one file, so that a step's events, money and state commit together.
      const { id } = await run('plain');
      expect(existsSync(join(it.project.path, '.ai', 'threads', 'threads.db'))).toBe(true);
      expect(it.project.row(id)).toMatchObject({ status: 'completed' });
      expect(it.project.ledger(id)).toMatchObject({ status: 'released' });
    },
  ],
];

/** Rows that are about Python, and why nothing here stands for them. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  '_active_harnesses dict defined in orchestrator module scope':
    'there is no mutable module state: the runtime owns its threads, and several runtimes fit one process',
  'Sibling imports use importlib.util with sanitized module names':
    'modules are ESM; test/architecture.test.ts holds their order',
  'Package imports use from rye.constants import ... (requires rye in venv)':
    'there is no Python package to import from',
};

describe('S2 §9, Verification', () => {
  test('has 27 rows, each with a test or a reason', () => {
    const names = [...ROWS.map(([row]) => row), ...Object.keys(NOT_APPLICABLE)];
    expect(new Set(names).size).toBe(27);
    expect(Object.values(NOT_APPLICABLE).filter((reason) => reason.length < 20)).toEqual([]);
  });

  test.each(ROWS)('%s', async (_row, proof) => {
    expect.hasAssertions();
    await proof();
  });
});
