import { describe, expect, test } from 'vitest';
import { createWorkerBench, type WorkerBench } from '../../../test/fixtures/worker-bench.ts';
import { createThreadBench } from '../../../test/fixtures/thread-bench.ts';
import type { Sketch } from '../../../test/fixtures/scene.ts';
import type { StoredEvent } from '../../core/events.ts';
import { estimateTextTokens } from '../../providers/pricing.ts';
import type { Script } from '../../providers/scripted-schema.ts';
import { createLearningCounter } from '../../providers/token-counter.ts';
import { addText, beginSize, settleSize } from '../conversation/context-size.ts';
import type { ThreadPlan } from '../plan/plan.ts';
import { fallBack } from './fall-back.ts';

const USAGE = { input_tokens: 10, output_tokens: 2 };
/** Fails each time, in a way that is tried again, or not. */
const DOWN: Script = { rules: [{ error: { type: 'api_error', status_code: 500, message: 'down' }, delay_ms: 1 }] };
const GONE: Script = {
  rules: [{ error: { type: 'not_found_error', status_code: 404, message: 'gone' }, delay_ms: 1 }],
};
/** Its provider takes no call for a minute. */
const BUSY: Script = {
  rules: [{ error: { type: 'rate_limit_error', status_code: 429, headers: { 'retry-after': '60' } }, delay_ms: 1 }],
};
const UNRECORDED: Script = { rules: [{ error: { type: 'ReplayError', code: 'replay_missing', status_code: 404 } }] };
const FULL: Script = { rules: [{ error: { type: 'RecordingError', code: 'recording_failed', status_code: 404 } }] };
/** Can't be sent what the prompt has. */
const UNFIT: Script = {
  rules: [{ error: { type: 'InvalidRequestError', code: 'content_unsupported', message: 'no audio' } }],
};
/** Calls a tool that is not there, and then says that it is done. */
const SPARE: Script = {
  rules: [
    { turn: 1, tool_calls: [{ name: 'nothing', input: {} }], usage: USAGE, delay_ms: 1 },
    { text: 'done', usage: USAGE, delay_ms: 1 },
  ],
};
/** Fails once before it does. */
const SHAKY: Script = { rules: [{ ...DOWN.rules[0], times: 1 }, ...SPARE.rules] };

/** A model by its price in nano-USD per token. */
const model = (nano: number, contextWindow = 100_000) => {
  const usd = nano / 1000;
  return {
    provider: 'scripted',
    context_window: contextWindow,
    max_output_tokens: 100,
    price: { input: usd, output: usd, cache_read: usd, cache_write: usd },
  };
};
const MODELS = {
  down: model(1),
  gone: model(1),
  unrecorded: model(1),
  full: model(1),
  unfit: model(1),
  spare: model(7),
  shaky: model(1),
  busy: model(1),
  other: { ...model(7), provider: 'other' },
  small: model(1, 50),
  dear: model(100_000),
};
const SCRIPTS = {
  down: DOWN,
  gone: GONE,
  unrecorded: UNRECORDED,
  full: FULL,
  unfit: UNFIT,
  spare: SPARE,
  shaky: SHAKY,
  busy: BUSY,
  other: SPARE,
  small: SPARE,
  dear: SPARE,
};

/** Directives whose tier is a chain of scripted models, the first of them its own. */
function bench(chain: readonly (keyof typeof MODELS)[], sketch: Sketch = {}): WorkerBench {
  const tiers = chain.map((name, at) => {
    const fallback = chain[at + 1];
    const tier = { provider: MODELS[name].provider, model: name, ...(fallback && { fallback: `tier-${fallback}` }) };
    return [at === 0 ? 'general' : `tier-${name}`, tier] as const;
  });
  const providers = { other: { kind: 'scripted', max_output_tokens: 100 } };
  const agent = { tiers: Object.fromEntries(tiers), models: MODELS, providers };
  return createWorkerBench(
    { task: { says: [], ...sketch } },
    { retry: { max_retries: 2 } },
    { agent, scripts: SCRIPTS },
  );
}

/** Lets a thread run until it is over. */
async function run(it: WorkerBench): Promise<readonly StoredEvent[]> {
  const thread = it.start('task');
  const rested = (): number => it.said('ended').length + it.said('suspended').length;
  const before = rested();
  for (let step = 0; step < 200; step++) {
    it.commit();
    it.ticks.endAll();
    it.clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
    if (rested() > before) break;
  }
  it.commit();
  return it.log(thread);
}

const of = <Type extends StoredEvent['event_type']>(log: readonly StoredEvent[], type: Type) =>
  log.filter((event): event is Extract<StoredEvent, { event_type: Type }> => event.event_type === type);
const failures = (log: readonly StoredEvent[]) => of(log, 'error_classified').map(({ payload }) => payload.attempt);
const answers = (log: readonly StoredEvent[]) => of(log, 'cognition_out').map(({ payload }) => payload.model);
const warnings = (log: readonly StoredEvent[]) => of(log, 'warning').map(({ payload }) => payload.message);
const last = (log: readonly StoredEvent[]) => log.at(-1)?.event_type;

describe('A thread whose model fails', () => {
  test('goes on with the fallback once its attempts are used up, says so, and stays with it', async () => {
    using it = bench(['down', 'spare']);
    const log = await run(it);
    expect(failures(log)).toEqual([0, 1, 2]);
    expect(answers(log)).toEqual(['scripted:spare', 'scripted:spare']);
    expect(warnings(log)).toContain('scripted:down failed (down): the thread goes on with scripted:spare');
    expect(last(log)).toBe('thread_completed');
  });

  test.each([
    ['has time for', 300, [0, 1, 2]],
    ['has no time for', 30, [0]],
  ])('that asks for a wait which its thread %s: attempts', async (_name, duration_seconds, attempts) => {
    using it = bench(['busy', 'other'], { limits: { duration_seconds } });
    const log = await run(it);
    expect([failures(log), answers(log), last(log)]).toEqual([
      attempts,
      ['other:other', 'other:other'],
      'thread_completed',
    ]);
  });

  test('goes on with the fallback where it would wait at the gate of its provider for longer than its time', async () => {
    using it = bench(['busy', 'other'], { limits: { duration_seconds: 30 } });
    await run(it);
    const log = await run(it);
    expect([failures(log), answers(log), last(log)]).toEqual([[], ['other:other', 'other:other'], 'thread_completed']);
  });

  test('pays what the fallback costs, to the nano-dollar', async () => {
    using it = bench(['down', 'spare']);
    const log = await run(it);
    const spent = of(log, 'usage').filter(({ payload }) => !payload.interrupted);
    expect(spent.map(({ payload }) => payload.spend)).toEqual([84e-9, 84e-9]);
  });

  test('goes there at once if another attempt would be of no use', async () => {
    using it = bench(['gone', 'spare']);
    const log = await run(it);
    expect([failures(log), last(log)]).toEqual([[0], 'thread_completed']);
  });

  test('has all its attempts with each model', async () => {
    using it = bench(['down', 'shaky']);
    const log = await run(it);
    expect([failures(log), last(log)]).toEqual([[0, 1, 2, 0], 'thread_completed']);
  });

  test('goes through the whole chain once, and then fails with what the last one said', async () => {
    using it = bench(['down', 'gone']);
    const log = await run(it);
    expect(failures(log)).toEqual([0, 1, 2, 0]);
    expect(of(log, 'thread_error').map(({ payload }) => payload.error)).toEqual([
      { code: 'provider_failed', message: 'not_found_error: gone' },
    ]);
  });

  test('passes over one whose context window is too small', async () => {
    using it = bench(['gone', 'small', 'spare']);
    const log = await run(it);
    expect(warnings(log)).toContainEqual(expect.stringMatching(/scripted:small is passed over: .* room for 45$/));
    expect(answers(log)).toEqual(['scripted:spare', 'scripted:spare']);
  });

  test.each([
    ['has no answer', 'unrecorded', 'replay_missing'],
    ["can't be written", 'full', 'recording_failed'],
  ] as const)('asks no other one where a recording %s', async (_, model, code) => {
    using it = bench([model, 'spare']);
    const log = await run(it);
    expect([failures(log), answers(log)]).toEqual([[0], []]);
    expect(of(log, 'thread_error').map(({ payload }) => payload.error.code)).toEqual([code]);
  });

  test('says of a prompt that no model can be sent that it is that', async () => {
    using it = bench(['unfit']);
    const log = await run(it);
    expect(failures(log)).toEqual([0]);
    expect(of(log, 'thread_error').map(({ payload }) => payload.error)).toEqual([
      { code: 'content_unsupported', message: 'InvalidRequestError: no audio' },
    ]);
  });

  test('teaches the fallback nothing about tokens by what another model counted', () => {
    const { thread, services } = createThreadBench();
    const counter = createLearningCounter(estimateTextTokens);
    const definitions = [{ name: 'look', description: 'looks', inputSchema: {} }];
    // Of a palette, this is what is looked at.
    thread.plan = { ...thread.plan, palette: { definitions }, paletteTokens: 7 } as unknown as ThreadPlan;
    beginSize(thread);
    addText(thread, 'x'.repeat(9000));
    fallBack({ thread, services }, { ...thread.plan.model, counter }, 'down');
    expect(thread.plan.paletteTokens).toBe(estimateTextTokens(JSON.stringify(definitions)));
    settleSize(thread, { inputTokens: 8000, outputTokens: 10, cacheReadTokens: 0, cacheWriteTokens: 0 });
    expect(counter.expect(1000)).toBe(1000);
    expect(thread.contextTokens).toBe(8010);
  });

  test('does not call one whose worst case it can not pay', async () => {
    using it = bench(['gone', 'dear']);
    const log = await run(it);
    expect(answers(log)).toEqual([]);
    expect(of(log, 'limit_escalation_requested').map(({ payload }) => payload.limit_code)).toEqual(['spend_exceeded']);
    expect(last(log)).toBe('thread_suspended');
  });

  test.each([
    ['fails', ['gone', 'spare'], 1],
    ['takes no calls for longer than its time', ['busy', 'other'], 2],
  ] as const)('asks its before_step hooks once where it %s: it is the same turn', async (_name, chain, threads) => {
    const step =
      '<hook id="note" event="before_step"><action primary="execute" item_type="tool" item_id="rye/agent/threads/internal/emitter"><param name="event_type">warning</param><param name="payload">{"code": "noted", "message": "step"}</param></action></hook>';
    using it = bench(chain, { hooks: step, limits: { duration_seconds: 30 } });
    for (let before = 1; before < threads; before++) await run(it);
    const log = await run(it);
    expect([answers(log).length, warnings(log).filter((message) => message === 'step').length]).toEqual([2, 2]);
  });

  test('takes the fallback that its directive names before that of its tier', async () => {
    using it = bench(['gone', 'down'], { model: 'fallback="scripted:spare"' });
    expect(answers(await run(it))).toEqual(['scripted:spare', 'scripted:spare']);
  });
});

describe('An error hook', () => {
  const hook = (action: string): string =>
    `<hook id="mine" event="error"><action primary="execute" item_type="tool" item_id="rye/agent/threads/internal/control"><param name="action">${action}</param></action></hook>`;

  test.each([
    ['fail', 'thread_error'],
    ['abort', 'thread_cancelled'],
    ['suspend', 'thread_suspended'],
    ['continue', 'thread_completed'],
    ['skip', 'thread_completed'],
    ['retry', 'thread_completed'],
  ])('that says %s is heard before the fallback: %s', async (action, end) => {
    using it = bench(['gone', 'spare'], { hooks: hook(action) });
    expect(last(await run(it))).toBe(end);
  });

  test('knows which model is next', async () => {
    const emitting =
      '<hook id="mine" event="error"><action primary="execute" item_type="tool" item_id="rye/agent/threads/internal/emitter"><param name="event_type">warning</param><param name="payload">{"code": "next", "message": "next: ${fallback}"}</param></action></hook>';
    using it = bench(['down', 'spare'], { hooks: emitting });
    const said = warnings(await run(it)).filter((message) => message.startsWith('next'));
    expect(said).toEqual(['next: ', 'next: ', 'next: scripted:spare']);
  });
});
