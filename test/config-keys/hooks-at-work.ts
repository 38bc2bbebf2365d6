import type { Config } from '../../src/config/config.ts';
import type { HookEvent } from '../../src/core/hook-events.ts';
import { compileHooks } from '../../src/thread/hooks/hooks.ts';
import { runHooks } from '../../src/thread/hooks/run-hooks.ts';
import { createThreadBench } from '../fixtures/thread-bench.ts';
import { once, type State } from './row.ts';
import { observe } from './workers-at-work.ts';

type Occasion = readonly [event: HookEvent, context: Readonly<Record<string, unknown>>];

const classified = (category: string, fallback?: string): Occasion => [
  'error',
  { error: { message: 'boom' }, classification: { category }, fallback },
];
const hit = (limit_code: string, waived_by?: string): Occasion => [
  'limit',
  { limit_code, current_value: 3, current_max: 2, on_exceed: 'escalate', waived_by },
];
const pressed = (ratio: number): Occasion => [
  'context_window_pressure',
  { pressure_ratio: ratio, tokens_used: 10, tokens_limit: 20, event: { pressure_ratio: ratio, tokens_used: 10 } },
];

/** What happens in a thread's life, as its hooks hear of it. */
const OCCASIONS: readonly Occasion[] = [
  ...['transient', 'rate_limited', 'permanent', 'cancelled', 'unheard_of'].map((category) => classified(category)),
  classified('permanent', 'scripted:other'),
  ...['turns', 'tokens', 'spend', 'duration_seconds', 'spawns'].map((limit) => hit(`${limit}_exceeded`)),
  hit('turns_exceeded', 'mine'),
  ...[0.5, 0.8, 0.81, 0.95].map(pressed),
  ['before_step', { turn: 3, cost: { turns: 3 } }],
  ['after_step', { turn: 3, cost: { turns: 3 } }],
  ['after_complete', { status: 'completed' }],
];

/** What the hooks of a config decide, ask for and record on every occasion. */
export function decisions({ config }: State): unknown {
  return OCCASIONS.map((occasion) => decide(config, occasion));
}

function decide({ hooks }: Config, [event, context]: Occasion): unknown {
  const bench = createThreadBench(compileHooks({ directive: [], ...hooks }, 'demo'));
  let control: unknown = 'not yet';
  runHooks({ ...bench, event, context: () => context }, (decided) => (control = decided ?? 'none'));
  const asked = bench.dispatches.map(({ action }) => action);
  const recorded = bench.events().map(({ event_type, payload }) => [event_type, payload]);
  return [event, control, asked, recorded, bench.reports];
}

/** Whether the hook that waits for a child has been given up after five minutes. */
export function waitedForCompaction({ config: { hooks } }: State): unknown {
  const bench = createThreadBench(compileHooks({ directive: [], ...hooks }, 'demo'));
  const [event, context] = pressed(0.95);
  let isOver = false;
  runHooks({ ...bench, event, context: () => context }, () => (isOver = true));
  bench.clock.advance(300_000);
  return [isOver, bench.events()];
}

/** The same where another hook has decided already: what is left is layer 3. */
function decisionsAfterAnother({ config }: State): unknown {
  const params = { action: 'fail' };
  const action = { primary: 'execute', item_type: 'tool', item_id: 'rye/agent/threads/internal/control', params };
  return OCCASIONS.map(([event, context]) => {
    const builtin = [{ id: 'first', event, layer: 2, action } as const, ...config.hooks.builtin];
    return decide({ ...config, hooks: { ...config.hooks, builtin } }, [event, context]);
  });
}

/** The first message of a thread, and which hooks put something into it. */
function firstMessage({ config }: State): unknown {
  return observe(config, { directive: 'quick' }, ({ log }) =>
    log()
      .filter(({ event_type }) => ['context_injected', 'cognition_in', 'warning'].includes(event_type))
      .map(({ event_type, payload }) => [event_type, payload]),
  );
}

const decided = once((state) => [decisions(state), decisionsAfterAnother(state)]);
const started = once(firstMessage);

/** What the hook of a path does: those that put something before the prompt do it in the first message. */
export function hooksAtWork(state: State, path: string): unknown {
  return path.includes('[ctx_') ? [decided(state), started(state)] : decided(state);
}
