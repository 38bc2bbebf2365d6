import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createClassifier } from '../src/config/classify.ts';
import { loadConfig } from '../src/config/load.ts';
import { mergeConfig } from '../src/config/merge.ts';
import { retryDelayMs } from '../src/config/retry.ts';
import { compileCondition, CONDITION_OPERATORS } from '../src/core/condition.ts';
import type { StoredEvent } from '../src/core/events.ts';
import { compileTemplate } from '../src/core/interpolate.ts';
import type { ToolOutcome } from '../src/core/tool.ts';
import { createThreadBench } from './fixtures/thread-bench.ts';
import { eventPoliciesOf } from '../src/thread/services/event-policies.ts';
import { controlResult } from '../src/thread/internal/control-result.ts';
import { readRequest } from '../src/tools/primary-request.ts';
import { pricedModel } from './fixtures/priced-model.ts';
import { call, NEVER, ORCHESTRATE, refusal, scene, SPAWN, until, type Part, type Scene } from './fixtures/scene.ts';

/* S2 §8, "Testing Strategy": the table, row by row. Where many cases stand behind a row, its module's own tests have them. */

const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../config/', import.meta.url)) });
const classify = createClassifier(config.errors);
const condition = (spec: unknown, context: unknown): boolean => compileCondition(spec, { file: 'x.yaml' })(context);
const fill = (template: unknown, context: unknown): unknown => compileTemplate(template)(context);

const THREADS = ['rye/agent/threads/*', 'rye/file-system/*'];
const CONTROL = 'rye/agent/threads/internal/control';
const EMITTER = 'rye/agent/threads/internal/emitter';
const firstChild = `\${all.${SPAWN}.0.thread_id}`;
const ask = (operation: string, more: object = { thread_id: firstChild }) => call(ORCHESTRATE, { operation, ...more });
const child = (directive_name: string, more: object = {}) => call(SPAWN, { directive_name, ...more });
const deciding = (event: string, action: string): string =>
  `<hook id="h" event="${event}"><execute item_type="tool" item_id="${CONTROL}"><param name="action" value="${action}"/></execute></hook>`;

const PARTS: Readonly<Record<string, Part>> = {
  leaf: { outputs: ['n:integer'], says: [call('rye_agent_threads_directive_return', { n: 7 })] },
  endless: { says: [NEVER] },
  turns: { tools: THREADS, says: [call('rye_file_system_ls', { path: '.' }), { text: 'done' }] },
  retried: { says: [{ error: { status_code: 503, message: 'busy' }, times: 1 }, { text: 'done' }] },
  broken: { says: [{ error: { status_code: 400, message: 'broken' } }] },
  limited: { tools: THREADS, limits: { turns: 1 }, says: [call('rye_file_system_ls', { path: '.' })] },
  limited_tokens: { limits: { tokens: 1 }, says: [call('nothing')] },
  limited_spend: { limits: { spend: 0.000_001 }, says: [call('nothing')] },
  looping: { limits: { turns: 100_000, tokens: 1e9 }, says: [{ ...call('nothing'), delay_ms: 1 }] },
  garbled: { says: [{ text: 'abc', chunks: 3, break: { how: 'garbage' }, times: 1 }, { text: 'done' }] },
  cut: { says: [{ ...call('rye_file_system_ls', { path: '.' }), break: { how: 'cut_tool' } }, { text: 'done' }] },
  failing: {
    tools: THREADS,
    limits: { turns: 1 },
    hooks: deciding('limit', 'fail'),
    says: [call('rye_file_system_ls', { path: '.' })],
  },
  primaries: {
    permissions: '<execute>*</execute><load>*</load><search>*</search><sign>*</sign>',
    says: [
      call('rye_execute', { item_type: 'tool', item_id: 'rye/file-system/ls', parameters: { path: '.' } }),
      call('rye_search', { item_type: 'knowledge', query: '"mind the gap"' }),
      call('rye_load', { item_type: 'knowledge', item_id: 'note' }),
      call('rye_sign', { item_type: 'knowledge', item_id: 'note', dry_run: true }),
      { text: 'done' },
    ],
  },
  streamed: {
    hooks: `<hook id="late" event="after_complete"><execute item_type="tool" item_id="${EMITTER}"><param name="event_type" value="checkpoint_saved"/><param name="payload">{"turn": 9}</param></execute></hook>`,
    says: [{ text: 'a b c d', chunks: 4, delay_ms: 20 }],
  },
  sync: { tools: THREADS, says: [child('leaf'), { text: 'done' }] },
  async: {
    tools: THREADS,
    says: [child('endless', { async_exec: true, limit_overrides: { turns: 2 } }), { text: 'done' }],
  },
  orchestrating: {
    tools: THREADS,
    says: [
      child('endless', { async_exec: true }),
      ask('get_status'),
      ask('list_active', {}),
      ask('wait_threads', { thread_ids: [firstChild], timeout: 0.02 }),
      ask('cancel_thread'),
      { text: 'done' },
    ],
  },
  greeting: {
    inputs: ['who', 'no?', 'day?'],
    body: 'Hello {input:who}{input:no?}, {input:day:today}.',
    says: [{ text: 'hi' }],
  },
  described: { says: [{ text: 'hi' }] },
  hooked: { hooks: deciding('before_step', 'fail'), says: [{ text: 'never said' }] },
  context: {
    hooks: '<hook id="h" event="thread_started"><load item_type="knowledge" item_id="note"/></hook>',
    tools: [],
    permissions: '<load><knowledge>*</knowledge></load>',
    says: [{ text: 'hi' }],
  },
};

let it: Scene;
beforeAll(async () => {
  const payload = { code: 'layer_3', message: '${limit_code}: ${current_value} of ${current_max}' };
  const params = { event_type: 'warning', payload };
  const action = { primary: 'execute', item_type: 'tool', item_id: EMITTER, params };
  it = await scene(PARTS, {
    config: {
      resilience: { retry: { policies: { exponential: { base: 0.001 } } } },
      hook_conditions: { infra_hooks: [{ id: 'seen', event: 'limit', layer: 3, action }] },
      agent: pricedModel({ output: 10 }),
    },
  });
  const described = '<metadata><description>Count the sheep.</description></metadata>';
  it.project.write(
    '.ai/directives/described.md',
    `\`\`\`xml\n<directive name="described">${described}</directive>\n\`\`\`\n`,
  );
  it.project.write('.ai/knowledge/note.md', '---\ntitle: Note\n---\n\nMind the gap.\n');
});
afterAll(() => it[Symbol.asyncDispose]());

/** A thread's log and ending. */
async function run(directive: string, inputs: Record<string, unknown> = {}) {
  const handle = await it.runtime.spawn(directive, inputs);
  const ending = await handle.result;
  return { id: handle.id, ending, log: it.project.log(handle.id) };
}

/** What a suspended or ended thread's log says once it is so. */
async function logUntil(directive: string, type: 'thread_suspended') {
  const handle = await it.runtime.spawn(directive);
  await until(handle, type);
  const log = it.project.log(handle.id);
  await handle.cancel();
  return log;
}

const types = (log: readonly StoredEvent[]): string[] => log.map(({ event_type }) => event_type);
const results = (log: readonly StoredEvent[]): unknown[] =>
  log.flatMap((event) =>
    event.event_type === 'tool_call_result' ? [JSON.parse(event.payload.output ?? 'null') as unknown] : [],
  );
const firstPrompt = (log: readonly StoredEvent[]): string => {
  const said = log.find((event) => event.event_type === 'cognition_in');
  return said?.event_type === 'cognition_in' ? said.payload.text : '';
};
const internal = (name: string, params: Readonly<Record<string, unknown>>): unknown => {
  const { thread, services } = createThreadBench();
  const tool = services.internalTools.get(`rye/agent/threads/internal/${name}`);
  const input = tool?.read(params);
  const outcomes: unknown[] = [];
  if (input?.ok) tool?.run({ thread, services, input: input.value }, (outcome) => outcomes.push(outcome));
  return outcomes[0] ?? input;
};

/** What an operation asks of the ledger, and what its hook hears. */
function budgetOf(operation: string): { readonly op: unknown; readonly answer: unknown } {
  const { thread, services, ops, answer } = createThreadBench();
  const tool = services.internalTools.get('rye/agent/threads/internal/budget_ops');
  const input = tool?.read({
    operation,
    amount: 2,
    thread_id: 'thread-1',
    ...(operation === 'report_actual' && { reservation: 'a' }),
  });
  const outcomes: ToolOutcome[] = [];
  if (input?.ok) tool?.run({ thread, services, input: input.value }, (outcome) => outcomes.push(outcome));
  answer({ type: 'budget', granted: true, amount: 2_000_000_000, over: 0, remaining: 1_500_000_000 });
  const [asked] = ops;
  const [heard] = outcomes;
  return { op: asked?.type === 'budget' && asked.operation, answer: heard?.ok && heard.value };
}

/** A row's words, and what shows that it holds. */
type Row = readonly [row: string, proof: () => unknown];

const ROWS: readonly Row[] = [
  [
    'condition_evaluator: All 10 operators, any/all/not combinators, dotted path resolution, missing paths',
    () => {
      const holding: Readonly<Record<string, unknown>> = {
        eq: 5,
        ne: 4,
        gt: 4,
        gte: 5,
        lt: 6,
        lte: 5,
        in: [4, 5],
        contains: '5',
        regex: '^5$',
      };
      const failing: typeof holding = {
        eq: 4,
        ne: 5,
        gt: 5,
        gte: 6,
        lt: 5,
        lte: 4,
        in: [4],
        contains: '4',
        regex: '^$',
      };
      expect([...Object.keys(holding), 'exists']).toEqual(CONDITION_OPERATORS);
      for (const [values, holds] of [
        [holding, true],
        [failing, false],
      ] as const) {
        for (const [op, value] of Object.entries(values))
          expect([op, condition({ path: 'n', op, value }, { n: 5 })]).toEqual([op, holds]);
      }
      expect(['n', 'm'].map((path) => condition({ path, op: 'exists' }, { n: 0 }))).toEqual([true, false]);
      const is = (path: string, value: unknown) => ({ path, op: 'eq', value });
      const context = { a: { b: 1 } };
      expect(
        condition({ all: [is('a.b', 1), { not: is('a.b', 2) }, { any: [is('a.c', 1), is('a.b', 1)] }] }, context),
      ).toBe(true);
      expect(condition(is('no.such.path', 1), context)).toBe(false);
    },
  ],
  [
    'interpolation: ${path.to.value} resolution, missing paths → "", nested dicts/lists, $$ escaping',
    () => {
      const given = { deep: ['${a.b}', { text: 'is ${a.b}, ${no}' }], price: '$$5' };
      expect(fill(given, { a: { b: 1 } })).toEqual({ deep: [1, { text: 'is 1, ' }], price: '$5' });
    },
  ],
  [
    'config_loader: Load YAML, deep merge dicts, merge-by-id for lists, project override, extends skip',
    () => {
      const base = {
        map: { a: 1, b: 2 },
        list: [
          { id: 'x', v: 1 },
          { id: 'y', v: 2 },
        ],
      };
      const override = { extends: 'base.yaml', map: { b: 3 }, list: [{ id: 'y', v: 4 }, { id: 'z' }] };
      const list = [{ id: 'x', v: 1 }, { id: 'y', v: 4 }, { id: 'z' }];
      expect(mergeConfig(base, override)).toEqual({ map: { a: 1, b: 3 }, list });
    },
  ],
  [
    'events_loader: Get event config, criticality lookup, emit_on_error',
    () => {
      const policies = eventPoliciesOf(config.events);
      expect(policies.get('thread_started')?.criticality).toBe('critical');
      expect(policies.get('cognition_out')).toMatchObject({ emitOnError: true });
      expect(policies.get('checkpoint_saved')).toMatchObject({ criticality: 'droppable', emitOnError: false });
    },
  ],
  [
    'error_loader: Pattern matching via condition_evaluator, retry delay calculation',
    () => {
      const { code, policy } = classify({ status_code: 429, headers: { 'retry-after': '7' } });
      expect(code).toBe('http_429');
      expect(retryDelayMs(policy, 0, { headers: { 'retry-after': '7' }, now: 0 })).toBe(7000);
    },
  ],
  [
    'hooks_loader: Load builtin hooks, load infra hooks, project override merge-by-id',
    () => {
      const [first] = config.hooks.builtin;
      const overrides = { hook_conditions: { builtin_hooks: [{ id: first?.id, description: 'mine' }] } };
      const systemDir = fileURLToPath(new URL('../config/', import.meta.url));
      const mine = loadConfig({ systemDir, overrides }).config.hooks;
      expect(mine.builtin.map(({ id }) => id)).toEqual(config.hooks.builtin.map(({ id }) => id));
      expect(mine.builtin[0]).toEqual({ ...first, description: 'mine' });
      expect(mine.infra.length).toBeGreaterThan(0);
    },
  ],
  [
    'resilience_loader: Get defaults (turns/tokens not max_*), retry config, child policy',
    () => {
      const { limits, retry, childPolicy } = config.resilience;
      expect(Object.keys(limits.defaults)).toEqual(
        expect.arrayContaining(['turns', 'tokens', 'spend', 'spawns', 'depth']),
      );
      expect(retry.maxRetries).toBe(3);
      expect(childPolicy).toEqual({
        onParentCancel: 'cascade_cancel',
        onParentComplete: 'allow',
        onParentError: 'cascade_cancel',
      });
    },
  ],
  [
    'tool_dispatcher: Dispatch all 4 primaries (execute/search/load/sign), params→parameters translation',
    async () => {
      const item = { item_type: 'tool', item_id: 'a/b' };
      expect(results((await run('primaries')).log)).toMatchObject([
        { status: 'success', data: { entries: [{ name: '.ai' }] } },
        { status: 'success', data: { results: [{ item_id: 'note' }] } },
        { status: 'success', data: { content: expect.stringContaining('Mind the gap.') } },
        { status: 'success', data: { dry_run: true, signed: false } },
      ]);
      for (const name of ['params', 'parameters']) {
        const { request } = readRequest({ primary: 'execute', ...item, [name]: { n: 1 } });
        expect(request).toMatchObject({ primary: 'execute', id: 'a/b', params: { n: 1 } });
      }
    },
  ],
  [
    'tool_dispatcher: project_path injection, _thread_context injection for internal tools',
    async () => {
      // A process of its own, which was told where the project is.
      expect(JSON.stringify(results((await run('turns')).log))).toContain('.ai');
      const forged = { primary: 'execute', item_type: 'tool', item_id: 'a/b', params: { _thread_context: {} } };
      expect(() => readRequest(forged)).toThrow(/_thread_context/);
      expect(internal('cost_tracker', {})).toMatchObject({ ok: true, value: { success: true, cost: { turns: 0 } } });
    },
  ],
  [
    'internal/control: All 7 action types return correct result shape',
    () => {
      const shape = (action: string): unknown => controlResult({ action });
      expect([shape('continue'), shape('skip'), shape('retry')]).toEqual([null, null, { action: 'retry' }]);
      expect(shape('fail')).toMatchObject({ success: false });
      expect(shape('abort')).toMatchObject({ success: false, aborted: true });
      expect(shape('suspend')).toMatchObject({ success: false, suspended: true });
      expect(shape('escalate')).toMatchObject({ success: false, suspended: true, escalated: true });
    },
  ],
  [
    'internal/emitter: Emit with context injection, missing context returns error',
    () => {
      const given = { event_type: 'warning', payload: { code: 'x', message: 'y' } };
      expect(internal('emitter', given)).toMatchObject({ ok: true, value: { success: true, emitted: true } });
      // Without a thread there is no internal tool at all.
      const forged = {
        primary: 'execute',
        item_type: 'tool',
        item_id: 'rye/agent/threads/internal/emitter',
        params: { ...given, _thread_context: {} },
      };
      expect(() => readRequest(forged)).toThrow(/_thread_context/);
    },
  ],
  [
    'internal/classifier: Delegates to error_loader.classify()',
    () => {
      const { code, category } = classify({ status_code: 529 });
      expect(internal('classifier', { status_code: 529, error: {} })).toMatchObject({
        value: { code, category, retryable: true },
      });
    },
  ],
  [
    'internal/limit_checker: Check each limit type, on_exceed behavior from config',
    () => {
      const action = config.resilience.limits.onExceed;
      for (const limit_type of ['turns', 'tokens', 'spend', 'spawns', 'depth', 'duration_seconds']) {
        const answer = internal('limit_checker', { limit_type, current_value: 3, max_value: 3 });
        expect(answer).toMatchObject({ value: { exceeded: true, limit_type, action } });
      }
    },
  ],
  [
    'internal/budget_ops: Reserve/report/release/check_remaining operations',
    () => {
      const operations = ['reserve', 'report_actual', 'release', 'check_remaining'];
      expect(operations.map((operation) => budgetOf(operation).op)).toEqual(operations);
      expect(operations.map((operation) => budgetOf(operation).answer)).toEqual([
        { success: true, reserved: 2, remaining: 1.5 },
        { success: true, reported: 2, remaining: 1.5 },
        { success: true, released: true, remaining: 1.5 },
        { success: true, remaining: 1.5 },
      ]);
      expect(internal('budget_ops', { operation: 'spend_it' })).toMatchObject({ ok: false });
    },
  ],
  [
    'event_emitter: Criticality routing from config, sync vs async, droppable failures silenced',
    async () => {
      const problems: unknown[] = [];
      const stop = it.runtime.on('problem', (problem) => problems.push(problem));
      const handle = await it.runtime.spawn('streamed');
      const shown: string[] = [];
      for await (const { event_type: type } of handle) shown.push(type);
      const stored = types(it.project.log(handle.id));
      // What is async is shown and not stored, what is critical is both.
      expect(eventPoliciesOf(config.events).get('cognition_out_delta')).toMatchObject({ live: true });
      expect([shown, stored].map((list) => list.includes('cognition_out_delta'))).toEqual([true, false]);
      expect([shown, stored].map((list) => list.includes('cognition_out'))).toEqual([true, true]);
      // A droppable event that can't be written any more fails nobody; the embedder hears of it.
      await expect.poll(() => problems).toMatchObject([{ message: expect.stringContaining('checkpoint_saved') }]);
      expect(await handle.result).toMatchObject({ status: 'completed' });
      stop();
    },
  ],
  [
    'safety_harness: Limit checking (turns/tokens/spend), hook evaluation + dispatch, cancellation',
    async () => {
      const codes: unknown[] = [];
      for (const directive of ['limited', 'limited_tokens', 'limited_spend'])
        for (const event of await logUntil(directive, 'thread_suspended'))
          if (event.event_type === 'limit_escalation_requested') codes.push(event.payload.limit_code);
      expect(codes).toEqual(['turns_exceeded', 'tokens_exceeded', 'spend_exceeded']);
      expect((await run('hooked')).ending).toMatchObject({
        status: 'error',
        error: { code: 'hook_failed' },
        cost: { turns: 0 },
      });
      const handle = await it.runtime.spawn('endless');
      await handle.cancel();
      expect(await handle.result).toMatchObject({ status: 'cancelled' });
    },
  ],
  [
    'safety_harness: Layer 3 hooks always run, layer 1-2 first non-None wins, interpolation in action params',
    async () => {
      const { log, ending } = await run('failing');
      expect(ending).toMatchObject({ status: 'error', error: { code: 'turns_exceeded' } });
      // The built-in hook of layer 2 would have escalated.
      expect(types(log)).not.toContain('limit_escalation_requested');
      const warned = log.filter(({ event_type: type }) => type === 'warning').map(({ payload }) => payload);
      expect(warned).toEqual([{ code: 'layer_3', message: 'turns_exceeded: 1 of 1' }]);
    },
  ],
  [
    'runner: Full turn cycle, error classification + retry, tool call dispatch, stop on no tool calls',
    async () => {
      const cycle = ['thread_started', 'cognition_in', 'cognition_out', 'usage', 'tool_call_start', 'tool_call_result'];
      const { log, ending } = await run('turns');
      expect(types(log)).toEqual(expect.arrayContaining(cycle));
      expect(ending).toMatchObject({ status: 'completed', text: 'done', cost: { turns: 2 } });
      const retried = await run('retried');
      expect(types(retried.log)).toContain('error_classified');
      expect(retried.ending).toMatchObject({ status: 'completed', cost: { turns: 1 } });
    },
  ],
  [
    'runner: Limit exceeded → hook → escalate/fail, cancellation mid-loop',
    async () => {
      expect(types(await logUntil('limited', 'thread_suspended')).at(-1)).toBe('thread_suspended');
      expect((await run('failing')).ending).toMatchObject({ status: 'error', error: { code: 'turns_exceeded' } });
      const looping = await it.runtime.spawn('looping');
      let turns = 0;
      await until(looping, 'tool_call_result', () => ++turns === 3);
      await looping.cancel('enough');
      const { status, cost } = await looping.result;
      expect([status, types(it.project.log(looping.id)).at(-1)]).toEqual(['cancelled', 'thread_cancelled']);
      expect(cost.turns).toBeGreaterThanOrEqual(3);
    },
  ],
  [
    'orchestrator: wait_threads with timeout, cancel_thread, get_status, list_active',
    async () => {
      const [started, status, active, waited, cancelled] = results((await run('orchestrating')).log);
      const { thread_id: id } = started as { thread_id: string };
      expect(status).toMatchObject({ success: true, thread_id: id });
      expect(active).toMatchObject({ active_threads: [id] });
      expect(waited).toMatchObject({ success: false, results: [{ status: 'timeout' }] });
      expect(cancelled).toEqual({ success: true, cancelled: id });
    },
  ],
  [
    'thread_directive: Sync mode end-to-end, async mode returns immediately, limit_overrides applied',
    async () => {
      expect(results((await run('sync')).log)).toEqual([
        expect.objectContaining({ success: true, status: 'completed', result: { n: 7 } }),
      ]);
      const started = await run('async');
      expect(results(started.log)).toEqual([expect.objectContaining({ success: true, status: 'running' })]);
      const handle = it.runtime.thread(it.runtime.list({ parent: started.id })[0]?.id ?? '');
      const { payload } = await until(handle, 'thread_started');
      await handle.cancel();
      expect(payload).toMatchObject({ limits: { turns: 2 } });
    },
  ],
  [
    'thread_directive: Uses ParserRouter("markdown_xml"), reads actions not steps',
    async () => {
      expect((await run('turns')).ending).toMatchObject({ status: 'completed' });
      it.project.write('.ai/directives/no-xml.md', 'Only prose.\n');
      expect(await refusal(() => it.runtime.spawn('no-xml'))).toMatchObject({ code: 'invalid_item' });
    },
  ],
  [
    'state_store: Atomic save/load, cancel sentinel file, missing state returns None',
    async () => {
      // The state is saved with the step that made it, and read back when the thread goes on.
      const paused = await it.runtime.spawn('turns', {}, { limits: { turns: 1 } });
      await until(paused, 'thread_suspended');
      await paused.resume(undefined, { limits: { turns: 5 } });
      expect(await paused.result).toMatchObject({ status: 'completed', text: 'done', cost: { turns: 2 } });
      // The state is the database's row; a cancellation is a message, and stands in the row when it is acknowledged.
      const handle = await it.runtime.spawn('endless');
      await handle.cancel();
      expect(it.project.row(handle.id)).toMatchObject({ status: 'cancelled' });
      expect(it.project.row('thread-00000000000000000000000000000000')).toBeUndefined();
    },
  ],
  [
    'provider_adapter: Response schema validation, token/spend tracking',
    async () => {
      // What is no whole answer counts as none: it is asked for again, or the thread ends; a call that is cut off never runs.
      const garbled = await run('garbled');
      const said = garbled.log.flatMap((event) => (event.event_type === 'cognition_out' ? [event.payload] : []));
      expect(said).toMatchObject([{ text: 'a', is_partial: true, error: expect.any(String) }, { text: 'done' }]);
      expect([types(garbled.log).includes('error_classified'), garbled.ending.text]).toEqual([true, 'done']);
      const cut = await run('cut');
      const heard = cut.log.flatMap((event) => (event.event_type === 'tool_call_result' ? [event.payload.error] : []));
      expect(heard).toEqual([expect.stringContaining('cut off')]);
      expect(cut.ending).toMatchObject({ status: 'completed', text: 'done' });
      const { log, ending } = await run('turns');
      const used = log.flatMap((event) => (event.event_type === 'usage' ? [event.payload] : []));
      expect(used).toHaveLength(2);
      const sum = (of: (one: (typeof used)[number]) => number): number => used.reduce((all, one) => all + of(one), 0);
      const { inputTokens, outputTokens, spend } = ending.cost;
      expect([inputTokens, outputTokens]).toEqual([sum((one) => one.input_tokens), sum((one) => one.output_tokens)]);
      expect(inputTokens * outputTokens).toBeGreaterThan(0);
      const spent = sum((one) => one.spend);
      expect(spend).toBeCloseTo(spent, 9);
      expect(spend).toBeCloseTo((outputTokens * 10) / 1e6, 9);
    },
  ],
  [
    'user prompt: body already interpolated by ExecuteTool, fallback to description',
    async () => {
      expect(firstPrompt((await run('greeting', { who: 'Ada' })).log)).toContain('Hello Ada, today.');
      // There is nothing else in it.
      expect(firstPrompt((await run('described')).log)).toMatch(
        /<directive name="described">\n<description>Count the sheep\.<\/description>\s*<\/directive>$/,
      );
    },
  ],
  [
    'input interpolation: {input:key}, {input:key?}, {input:key:default} — tested in test_execute.py',
    async () => {
      expect(firstPrompt((await run('greeting', { who: 'Ada', no: '!', day: 'now' })).log)).toContain(
        'Hello Ada!, now.',
      );
      expect(firstPrompt((await run('greeting', { who: 'Ada' })).log)).toContain('Hello Ada, today.');
    },
  ],
  [
    'input validation: Required inputs checked before interpolation, returns error with declared_inputs',
    async () => {
      const refused = { code: 'missing_input', detail: { declared_inputs: expect.any(Array) } };
      expect(await refusal(() => it.runtime.spawn('greeting'))).toMatchObject(refused);
    },
  ],
  [
    'context injection: thread_started hooks return {"context": ...}, assembled into single first message',
    async () => {
      const { log } = await run('context');
      const said = log.filter(({ event_type: type }) => type === 'cognition_in');
      expect(said).toHaveLength(1);
      expect(firstPrompt(log)).toContain('Mind the gap.');
      expect(types(log)).toContain('context_injected');
    },
  ],
];

/** As S2 §8 has them. */
const TABLE: readonly string[] = [
  'condition_evaluator: All 10 operators, any/all/not combinators, dotted path resolution, missing paths',
  'interpolation: ${path.to.value} resolution, missing paths → "", nested dicts/lists, $$ escaping',
  'config_loader: Load YAML, deep merge dicts, merge-by-id for lists, project override, extends skip',
  'events_loader: Get event config, criticality lookup, emit_on_error',
  'error_loader: Pattern matching via condition_evaluator, retry delay calculation',
  'hooks_loader: Load builtin hooks, load infra hooks, project override merge-by-id',
  'resilience_loader: Get defaults (turns/tokens not max_*), retry config, child policy',
  'tool_dispatcher: Dispatch all 4 primaries (execute/search/load/sign), params→parameters translation',
  'tool_dispatcher: project_path injection, _thread_context injection for internal tools',
  'internal/control: All 7 action types return correct result shape',
  'internal/emitter: Emit with context injection, missing context returns error',
  'internal/classifier: Delegates to error_loader.classify()',
  'internal/limit_checker: Check each limit type, on_exceed behavior from config',
  'internal/budget_ops: Reserve/report/release/check_remaining operations',
  'event_emitter: Criticality routing from config, sync vs async, droppable failures silenced',
  'safety_harness: Limit checking (turns/tokens/spend), hook evaluation + dispatch, cancellation',
  'safety_harness: Layer 3 hooks always run, layer 1-2 first non-None wins, interpolation in action params',
  'runner: Full turn cycle, error classification + retry, tool call dispatch, stop on no tool calls',
  'runner: Limit exceeded → hook → escalate/fail, cancellation mid-loop',
  'orchestrator: wait_threads with timeout, cancel_thread, get_status, list_active',
  'thread_directive: Sync mode end-to-end, async mode returns immediately, limit_overrides applied',
  'thread_directive: Uses ParserRouter("markdown_xml"), reads actions not steps',
  'state_store: Atomic save/load, cancel sentinel file, missing state returns None',
  'provider_adapter: Response schema validation, token/spend tracking',
  'user prompt: body already interpolated by ExecuteTool, fallback to description',
  'input interpolation: {input:key}, {input:key?}, {input:key:default} — tested in test_execute.py',
  'input validation: Required inputs checked before interpolation, returns error with declared_inputs',
  'context injection: thread_started hooks return {"context": ...}, assembled into single first message',
];

describe('S2 §8', () => {
  test('has no row without a test', () => {
    expect(ROWS.map(([row]) => row)).toEqual(TABLE);
  });

  test.each(ROWS)('%s', async (_row, proof) => {
    expect.hasAssertions();
    await proof();
  });
});
