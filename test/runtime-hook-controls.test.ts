import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { ThreadHandle } from '../src/index.ts';
import { echoTool } from './fixtures/echo-tool.ts';
import { call, give, scene, SPAWN, type Part, type Scene } from './fixtures/scene.ts';

const ACTIONS = ['retry', 'fail', 'abort', 'continue', 'escalate', 'suspend', 'skip'] as const;
type Action = (typeof ACTIONS)[number];

/** How a thread ends; `!` = with a warning that the decision means nothing there. */
type Outcome = 'completed' | 'error' | 'cancelled' | 'suspended' | 'completed!' | 'error!' | 'suspended!';

/** What every control action does at every event (docs/adr/0017-hooks.md); at `limit` in runtime-limit-table.test.ts. */
const TABLE: Readonly<Record<string, Readonly<Record<Action, Outcome>>>> = {
  thread_started: row('completed!', 'completed!', 'completed!', 'completed', 'completed!', 'completed!', 'completed'),
  before_step: row('completed!', 'error', 'cancelled', 'completed', 'suspended', 'suspended', 'completed!'),
  after_step: row('completed!', 'error', 'cancelled', 'completed', 'suspended', 'suspended', 'completed!'),
  before_tool: row('completed!', 'error', 'cancelled', 'completed', 'suspended', 'suspended', 'completed'),
  after_tool: row('completed!', 'error', 'cancelled', 'completed', 'suspended', 'suspended', 'completed!'),
  error: row('completed', 'error', 'cancelled', 'completed', 'suspended', 'suspended', 'completed'),
  context_window_pressure: row('completed!', 'error', 'cancelled', 'completed', 'suspended', 'suspended', 'completed'),
  context_limit_reached: row('completed!', 'error', 'cancelled', 'completed', 'suspended', 'suspended', 'completed'),
  directive_return: row('completed!', 'error', 'cancelled', 'completed', 'suspended', 'suspended', 'completed!'),
  child_started: row('completed!', 'error', 'cancelled', 'completed', 'suspended', 'suspended', 'completed!'),
  child_ended: row('completed!', 'error', 'cancelled', 'completed', 'suspended', 'suspended', 'completed!'),
  after_complete: row('completed!', 'completed!', 'completed!', 'completed', 'completed!', 'completed!', 'completed'),
};

const CASES = Object.entries(TABLE).flatMap(([event, outcomes]) =>
  ACTIONS.map((action) => [event, action, outcomes[action]] as const),
);

/** How a thread ends whose hook fails (docs/adr/0027-hooks-that-fail.md). */
const FAILING: Readonly<Record<string, Outcome>> = {
  thread_started: 'completed',
  before_step: 'suspended',
  after_step: 'completed',
  before_tool: 'completed',
  after_tool: 'completed',
  error: 'completed',
  limit: 'suspended',
  context_window_pressure: 'completed',
  context_limit_reached: 'completed',
  directive_return: 'suspended',
  child_started: 'completed',
  child_ended: 'completed',
  after_complete: 'completed',
};

/** Ways to fail, with what is said of them. */
const FAILURES: Readonly<Record<string, RegExp>> = {
  throws: /broken/,
  stays_away: /No hook function/,
  says_nonsense: /no control result|nothing to say/,
  never_answers: /longer than 30 ms/,
};

const FAILING_CASES = Object.entries(FAILING).flatMap(([event, outcome]) =>
  Object.keys(FAILURES).map((failure) => [event, failure, outcome] as const),
);

const echo = call('app_echo', { text: 'x' });

/** A thread in which the event happens. */
const SAYS: Readonly<Record<string, Part['says']>> = {
  error: [{ error: { type: 'APIError', message: 'down', status_code: 503 }, times: 1 }, { text: 'done' }],
  limit: [echo, { text: 'done' }],
  context_window_pressure: [{ ...echo, usage: { input_tokens: 105_000 } }, { text: 'done' }],
  context_limit_reached: [{ ...echo, usage: { input_tokens: 120_000 } }, { text: 'done' }],
  directive_return: [give({ n: 1 })],
  // Its child ends while it still has something to do; the tool asks by the way the hook did, and is answered after it.
  child_started: [call(SPAWN, { directive_name: 'leaf' }), echo, { text: 'done', delay_ms: 30 }],
  child_ended: [call(SPAWN, { directive_name: 'leaf' }), echo, { text: 'done', delay_ms: 30 }],
};

let it: Scene;
const problems: string[] = [];
const echoed: string[] = [];

beforeAll(async () => {
  const parts: Record<string, Part> = { leaf: { says: [{ text: 'leaf' }] } };
  for (const [event, action] of CASES) parts[`${event}_${action}`] = partFor(event, `decide_${action}`);
  for (const [event, failure] of FAILING_CASES) parts[`${event}_${failure}`] = partFor(event, failure);
  it = await scene(parts, {
    config: {
      resilience: {
        limits: { defaults: { tokens: 10_000_000 } },
        concurrency: { max_total_threads: 200 },
        retry: { policies: { exponential: { base: 0.001 } } },
      },
    },
  });
  await it.runtime.registerTool(echoTool(({ text }, { threadId }) => (echoed.push(threadId), text)));
  it.runtime.on('problem', ({ message }) => problems.push(message));
  for (const action of ACTIONS) it.runtime.registerHook(`decide_${action}`, () => ({ action }));
  it.runtime.registerHook('throws', () => {
    throw new Error('it is broken');
  });
  it.runtime.registerHook('says_nonsense', () => ({ action: 'deny' }));
  it.runtime.registerHook('never_answers', () => Promise.withResolvers<void>().promise);
});

afterAll(() => it[Symbol.asyncDispose]());

describe('A control action of a hook', () => {
  test.each(CASES)('on %s: %s ends in %s', async (event, action, outcome) => {
    const handle = await it.runtime.spawn(`${event}_${action}`);
    const status = await settled(handle);
    const said = event === 'after_complete' ? await problemsOf(handle, outcome) : warningsOf(handle);
    const isVain = said.some((message) => message.includes('means nothing'));
    expect(`${status}${isVain ? '!' : ''}`).toBe(outcome);
    if (status === 'suspended') await handle.cancel();
  });
});

describe('A hook that fails', () => {
  test.each(FAILING_CASES)(
    'at %s, where it %s: the thread is %s, and it is said why',
    async (event, failure, outcome) => {
      const handle = await it.runtime.spawn(`${event}_${failure}`);
      expect(await settled(handle)).toBe(outcome);
      const said = event === 'after_complete' ? await problemsOf(handle, 'completed!') : warningsOf(handle);
      expect(said).toEqual(expect.arrayContaining([expect.stringMatching(FAILURES[failure] ?? failure)]));
      if (outcome === 'suspended') await handle.cancel();
    },
  );

  test.each(Object.entries(FAILURES))(
    'at before_tool, where it %s: the call is not run, and the model hears why',
    async (failure, why) => {
      const handle = await it.runtime.spawn(`before_tool_${failure}`);
      await handle.result;
      expect(echoed).not.toContain(handle.id);
      const [refusal, ...more] = refusalsOf(handle);
      expect(refusal).toMatch(/^error \[hook_failed\]: Hook decides failed at before_tool: /);
      expect([refusal, more]).toEqual([expect.stringMatching(why), []]);
    },
  );

  test('at before_step has a person asked, who can let the step be taken', async () => {
    const handle = await it.runtime.spawn('before_step_throws');
    expect(await settled(handle)).toBe('suspended');
    const [asked] = await it.runtime.approvals.list({ thread: handle.id, status: 'pending' });
    expect(asked).toMatchObject({ reason: 'approval', message: expect.stringContaining('it is broken') });
    await it.runtime.approvals.grant(asked?.approvalId ?? '');
    await vi.waitUntil(() => echoed.includes(handle.id), { timeout: 10_000 });
    await handle.cancel();
  });
});

function refusalsOf({ id }: ThreadHandle<unknown>): unknown[] {
  return it.project
    .log(id)
    .flatMap(({ event_type: type, payload }) =>
      type === 'tool_call_result' && 'error' in payload ? [payload.error] : [],
    );
}

function row(...outcomes: readonly Outcome[]): Readonly<Record<Action, Outcome>> {
  // One outcome for each action, in their order.
  return Object.fromEntries(ACTIONS.map((action, index) => [action, outcomes[index]])) as Record<Action, Outcome>;
}

function partFor(event: string, name: string): Part {
  return {
    says: SAYS[event] ?? [echo, { text: 'done' }],
    hooks: `<hook id="decides" event="${event}" timeout_ms="${name === 'never_answers' ? 30 : 30_000}"><action function="${name}"/></hook>`,
    ...(event === 'limit' && { limits: { turns: 1 } }),
    ...(event === 'directive_return' && { outputs: ['n:integer'] }),
  };
}

async function settled(handle: ThreadHandle<unknown>): Promise<string> {
  for await (const { event_type: type } of handle) if (type === 'thread_suspended') return 'suspended';
  return (await handle.result).status;
}

function warningsOf({ id }: ThreadHandle<unknown>): string[] {
  return it.project
    .log(id)
    .flatMap(({ event_type: type, payload }) => (type === 'warning' ? [(payload as { message: string }).message] : []));
}

/** An ended thread's log takes no warning; what is said of it comes after its end, so one waits for it if it must come. */
async function problemsOf({ id }: ThreadHandle<unknown>, outcome: Outcome): Promise<string[]> {
  const mine = (): string[] => problems.filter((message) => message.includes(id));
  await vi.waitUntil(() => !outcome.endsWith('!') || mine().length > 0, { timeout: 10_000 });
  return mine();
}
