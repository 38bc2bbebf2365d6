import { describe, expect, test } from 'vitest';
import type { StoredEvent } from '../src/core/events.ts';
import { call, scene, type Part, type Scene } from './fixtures/scene.ts';

const LS = call('rye_file_system_ls');

/** What there is to be seen of a thread. */
type Seen = (log: readonly StoredEvent[], ending: string) => unknown;

const last: Seen = (_log, ending) => ending;
const has =
  (type: string): Seen =>
  (log) =>
    log.some(({ event_type }) => event_type === type);
const before: Seen = (log) => {
  const injected = log.find(({ event_type }) => event_type === 'context_injected')?.payload;
  return injected && 'before' in injected ? injected.before : [];
};
const asked: Seen = (log) => {
  const request = log.find(({ event_type }) => event_type === 'approval_requested')?.payload;
  return request && 'asked_by' in request ? request.asked_by : undefined;
};
const failing = (error: Part['says'][number]['error']): Part => ({ says: [{ error, times: 1 }, { text: 'done' }] });

/** A hook that ships, a thread in which it does its work, settings, where one looks, and what is there with it and without. */
type Shipped = readonly [string, 'builtin_hooks' | 'infra_hooks', Part, object, Seen, unknown, unknown];

const SHIPPED: readonly Shipped[] = [
  ['ctx_environment', 'builtin_hooks', { says: [{ text: 'x' }] }, {}, before, both(), ['ctx_directive_instruction']],
  ['ctx_directive_instruction', 'builtin_hooks', { says: [{ text: 'x' }] }, {}, before, both(), ['ctx_environment']],
  [
    'default_retry_transient',
    'builtin_hooks',
    failing({ type: 'APIError', message: 'overloaded', status_code: 503 }),
    { retry: { policies: { exponential: { base: 0.001 } } } },
    last,
    'completed',
    'error',
  ],
  [
    'default_fail_permanent',
    'builtin_hooks',
    failing({ type: 'invalid_request_error', message: 'no', status_code: 400 }),
    {},
    last,
    'error',
    'error',
  ],
  [
    'default_abort_cancelled',
    'builtin_hooks',
    failing({ type: 'AbortError', message: 'aborted' }),
    {},
    last,
    'cancelled',
    'error',
  ],
  [
    'default_escalate_limit',
    'builtin_hooks',
    { limits: { turns: 1 }, says: [LS, { text: 'x' }] },
    {},
    asked,
    'default_escalate_limit, hook default_escalate_limit',
    'default_escalate_limit, on_exceed',
  ],
  ['infra_save_state', 'infra_hooks', { says: [LS, { text: 'x' }] }, {}, has('checkpoint_saved'), true, false],
];

describe('The hook that ships as', () => {
  test('does its work', async () => {
    // What one of them needs does not disturb the others.
    const resilience = Object.assign({}, ...SHIPPED.map(([, , , settings]) => settings)) as object;
    await using it = await scene(Object.fromEntries(SHIPPED.map(([id, , part]) => [id, part])), {
      config: { resilience },
    });
    const seen = SHIPPED.map(async ([id, , , , see]) => [id, await look(it, id, see)]);
    expect(await Promise.all(seen)).toEqual(SHIPPED.map(([id, , , , , done]) => [id, done]));
  });

  test.each(SHIPPED)('%s does nothing once a project switches it off', async (...shipped) => {
    const [id, list, part, resilience, see, , undone] = shipped;
    const off = { [list]: [{ id, condition: { any: [] } }] };
    await using it = await scene({ [id]: part }, { config: { resilience, hook_conditions: off } });
    expect(await look(it, id, see)).toEqual(undone);
  });

  test('default_fail_permanent ends the thread with the message of the error', async () => {
    await using it = await scene({ task: failing({ type: 'invalid_request_error', message: 'no', status_code: 400 }) });
    const handle = await it.runtime.spawn('task');
    expect(await handle.result).toMatchObject({
      error: { code: 'provider_failed', message: 'invalid_request_error: no' },
    });
  });

  test('infra_save_state says which turn was stored', async () => {
    await using it = await scene({ task: { says: [LS, { text: 'x' }] } });
    const handle = await it.runtime.spawn('task');
    await handle.result;
    const saved = it.project.log(handle.id).filter(({ event_type: type }) => type === 'checkpoint_saved');
    expect(saved.map(({ payload }) => payload)).toEqual([{ turn: 1 }, { turn: 2 }]);
  });
});

function both(): string[] {
  return ['ctx_environment', 'ctx_directive_instruction'];
}

async function look(it: Scene, directive: string, see: Seen): Promise<unknown> {
  const handle = await it.runtime.spawn(directive);
  let ending = '';
  for await (const { event_type: type } of handle) {
    ending = type.replace('thread_', '');
    if (ending === 'suspended') break;
  }
  return see(it.project.log(handle.id), ending);
}
