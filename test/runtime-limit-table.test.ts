import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { LimitOverrides, Runtime, ThreadHandle } from '../src/index.ts';
import { call, scene, SPAWN, type Part, type Scene } from './fixtures/scene.ts';

/*
 * What becomes of a thread at each of the six limits, for each `on_exceed` and each answer of a `limit` hook (contracts,
 * "Limit checks"; docs/adr/0017-hooks.md).
 */

const ON_EXCEED = ['escalate', 'suspend', 'fail', 'abort'] as const;
const ANSWERS = ['nothing', 'retry', 'fail', 'abort', 'continue', 'escalate', 'suspend', 'skip'] as const;
type Answer = (typeof ANSWERS)[number];

/** What `on_exceed` does where no hook decides. */
const UNDECIDED = { escalate: 'escalated', suspend: 'suspended', fail: 'failed', abort: 'cancelled' } as const;

/**
 * How a thread ends or stops; `goes on`: it ends as if there were no limit, `refused`: its model is told, and it goes on.
 * `!`: with a warning that the hook's decision means nothing there.
 */
type Outcome = (typeof UNDECIDED)[keyof typeof UNDECIDED] | 'goes on' | 'refused';
type Row = Readonly<Record<Answer, Outcome | 'undecided' | 'undecided!'>>;

const OUTCOMES: Row = {
  nothing: 'undecided',
  retry: 'undecided!',
  fail: 'failed',
  abort: 'cancelled',
  continue: 'goes on',
  escalate: 'escalated',
  suspend: 'suspended',
  skip: 'goes on',
};

/** Nothing can be called without money: that can't be waived. */
const MONEY: Row = { ...OUTCOMES, continue: 'undecided!', skip: 'undecided!' };

/** Met at a spawn alone: no hook is asked, and the model gets an error that says so. */
const AT_SPAWN: Row = {
  nothing: 'refused',
  retry: 'refused',
  fail: 'refused',
  abort: 'refused',
  continue: 'refused',
  escalate: 'refused',
  suspend: 'refused',
  skip: 'refused',
};

const echo = { ...call('app_echo'), usage: { input_tokens: 100, output_tokens: 1_000 } };
const spawn = call(SPAWN, { directive_name: 'leaf' });

type Limited = { readonly limits: LimitOverrides; readonly says: Part['says']; readonly outcomes: Row };

const LIMITS: Readonly<Record<string, Limited>> = {
  turns_exceeded: { limits: { turns: 1 }, says: [echo, { text: 'done' }], outcomes: OUTCOMES },
  tokens_exceeded: { limits: { tokens: 1_100 }, says: [echo, { text: 'done' }], outcomes: OUTCOMES },
  spend_exceeded: { limits: { spend: 0.1 }, says: [echo, { text: 'done' }], outcomes: MONEY },
  duration_seconds_exceeded: {
    limits: { duration_seconds: 0.02 },
    // The call that is interrupted is made again if the limit is waived.
    says: [{ text: 'done', delay_ms: 300 }],
    outcomes: OUTCOMES,
  },
  spawns_exceeded: { limits: { spawns: 1 }, says: [spawn, spawn, { text: 'done' }], outcomes: AT_SPAWN },
  depth_exceeded: { limits: { depth: 0 }, says: [spawn, { text: 'done' }], outcomes: AT_SPAWN },
};

const CASES = Object.keys(LIMITS).flatMap((code) => ANSWERS.map((answer) => [code, answer] as const));

/** 10 cents for a call with 1,000 tokens of output. */
const AGENT = {
  models: {
    main: {
      provider: 'scripted',
      context_window: 200_000,
      max_output_tokens: 1_000,
      price: { input: 0, output: 100, cache_read: 0, cache_write: 0 },
    },
  },
};
/** What a hook of the project decides. */
const DECIDES = { hooks: [{ id: 'decides', event: 'limit', action: { function: 'decide' } }] };
/** Switches the shipped hook off that escalates at a limit. */
const NO_HOOK = { builtin_hooks: [{ id: 'default_escalate_limit', condition: { any: [] } }] };

describe.each(ON_EXCEED)('With on_exceed: %s', (onExceed) => {
  let it: Scene;
  const handles = new Map<string, ThreadHandle<unknown>>();

  // All of them run at once: what is waited for is the slowest.
  beforeAll(async () => {
    const limits = { enforcement: { on_exceed: onExceed }, defaults: { spend: 5 } };
    const resilience = { limits, concurrency: { max_total_threads: 200 } };
    const config = { agent: AGENT, hooks: DECIDES, hook_conditions: NO_HOOK, resilience };
    it = await scene(partsOfTable(), { config });
    const answers = new Map<string, PromiseWithResolvers<Answer>>();
    const answerOf = (threadId: string): PromiseWithResolvers<Answer> => {
      const known = answers.get(threadId) ?? Promise.withResolvers<Answer>();
      answers.set(threadId, known);
      return known;
    };
    // A thread may be at its limit before it is known here.
    await addFunctions(it.runtime, (threadId) => answerOf(threadId).promise);
    for (const [code, answer] of CASES) {
      const handle = await it.runtime.spawn(nameOf(code, answer), {}, { limits: LIMITS[code]?.limits ?? {} });
      handles.set(`${code} ${answer}`, handle);
      answerOf(handle.id).resolve(answer);
    }
  });
  afterAll(() => it[Symbol.asyncDispose]());

  test.each(CASES)('%s, to which a hook answers %s', async (code, answer) => {
    const handle = handles.get(`${code} ${answer}`);
    const expected = LIMITS[code]?.outcomes[answer].replace('undecided', UNDECIDED[onExceed]);
    expect(handle && (await outcomeOf(it, handle, code))).toBe(expected);
  });
});

function partsOfTable(): Record<string, Part> {
  const parts: Record<string, Part> = { leaf: { says: [{ text: 'leaf' }] } };
  for (const [code, answer] of CASES) {
    parts[nameOf(code, answer)] = { says: LIMITS[code]?.says ?? [] };
  }
  return parts;
}

function nameOf(code: string, answer: Answer): string {
  return `${code}_${answer}`;
}

type AnswerOf = (threadId: string) => Promise<Answer>;

async function addFunctions(runtime: Runtime, answerOf: AnswerOf): Promise<void> {
  const input = z.object({});
  await runtime.registerTool({ id: 'app/echo', description: 'does nothing', input, idempotent: true, run: () => 'ok' });
  runtime.registerHook('decide', async ({ threadId }) => {
    const action = await answerOf(threadId);
    return action === 'nothing' ? undefined : { action };
  });
}

/** What its log and its ending say of a thread that has ended or stopped; `otherwise` where that is not about its limit. */
async function outcomeOf({ project }: Scene, handle: ThreadHandle<unknown>, code: string): Promise<string> {
  const isStopped = await settled(handle);
  const log = project.log(handle.id);
  const said = (type: string): string[] =>
    log.flatMap(({ event_type, payload }) => (event_type === type ? [JSON.stringify(payload)] : []));
  const about = (type: string, ...parts: readonly string[]): string =>
    said(type).some((text) => parts.every((part) => text.includes(part))) ? '' : 'otherwise ';
  const mark = said('warning').some((text) => text.includes('means nothing')) ? '!' : '';
  if (isStopped) {
    const stop = about('thread_suspended', '"suspend_reason":"limit"', code);
    if (said('limit_escalation_requested').length === 0) return `${stop}suspended${mark}`;
    const max = `"current_max":${String(Object.values(LIMITS[code]?.limits ?? {})[0])}`;
    return `${stop}${about('limit_escalation_requested', `"limit_code":"${code}"`, max)}escalated${mark}`;
  }
  const { status } = await handle.result;
  if (status === 'error') return `${about('thread_error', `"code":"${code}"`)}failed${mark}`;
  if (status === 'cancelled') return `${about('thread_cancelled', code)}cancelled${mark}`;
  return about('tool_call_result', code) === '' ? 'refused' : `goes on${mark}`;
}

async function settled(handle: ThreadHandle<unknown>): Promise<boolean> {
  for await (const { event_type: type } of handle) if (type === 'thread_suspended') return true;
  return false;
}
