import type { Config } from '../../src/config/config.ts';
import { call, NEVER, ORCHESTRATE, SCRIPTED, type Part } from '../fixtures/scene.ts';
import { createWorkerBench, type WorkerBench } from '../fixtures/worker-bench.ts';
import type { State } from './row.ts';

const OTHERS = [1, 2].map((thread) => `thread-${String(thread).repeat(32)}`);
const slow = { name: 'app_slow', input: {} };

/** Answers come when the clock is moved. */
const later = (answer: object): Part['says'] => [{ ...answer, delay_ms: 10 }];

const PARTS: Record<string, Part> = {
  endless: { says: [NEVER] },
  failing: { says: later({ error: { status_code: 503 } }) },
  limited: { limits: { turns: 1 }, says: later(call('app_slow')) },
  waiting: { says: later(call(ORCHESTRATE, { operation: 'wait_threads', thread_ids: OTHERS })) },
  busy: { says: later({ tool_calls: Array.from({ length: 9 }, () => slow) }) },
};

function workable(config: Config): Config {
  const trust = { project: 'off', user: 'off', system: 'off' } as const;
  const agent = { ...config.agent, tiers: { ...config.agent.tiers, ...SCRIPTED.tiers }, trust };
  return { ...config, agent };
}

/** Starts a directive in a worker with this config; its tool `app/slow` answers `waits` never, else at once. */
function observe<Seen>(
  { config }: State,
  { directive, waits = false }: { readonly directive: string; readonly waits?: boolean },
  see: (bench: WorkerBench, thread: number, calls: () => number) => Seen,
): Seen {
  using bench = createWorkerBench(PARTS, {}, { change: () => workable(config) });
  let calls = 0;
  bench.services.tools.add([
    {
      id: 'app/slow',
      description: 'Takes its time',
      inputSchema: { type: 'object' },
      idempotent: true,
      run(_input, _caller, done) {
        calls++;
        if (!waits) done({ ok: true, value: 'done' });
        return undefined;
      },
    },
  ]);
  return see(bench, bench.start(directive), () => calls);
}

/** How often a call that fails again and again is made. */
export function attempts(state: State): number {
  return observe(state, { directive: 'failing' }, (bench, thread) => {
    for (let round = 0; round < 20; round++) {
      bench.clock.advance(1000);
      bench.commit();
    }
    return bench.log(thread).filter(({ event_type }) => event_type === 'error_classified').length;
  });
}

/** How a thread ends at a limit. */
export function endAtLimit(state: State): unknown {
  return observe(state, { directive: 'limited' }, (bench, thread) => {
    settle(bench);
    return bench.log(thread).map(({ event_type }) => event_type);
  });
}

/** What a thread asks of the host that waits for two others, and what it hears. */
export function wait(state: State): unknown {
  return observe(state, { directive: 'waiting' }, (bench, thread) => {
    settle(bench);
    const heard = bench.log(thread).filter(({ event_type }) => event_type === 'tool_call_result');
    return [bench.said('wait'), heard.map(({ payload }) => payload)];
  });
}

/** How many of nine slow calls are under way at once. */
export function callsAtOnce(state: State): number {
  return observe(state, { directive: 'busy', waits: true }, (bench, _thread, calls) => {
    settle(bench);
    return calls();
  });
}

/** Which tools a model is offered, and which it is not for want of room. */
export function palette(state: State): unknown {
  return observe(state, { directive: 'endless' }, (bench, thread) => {
    const offered = bench.host.get(thread)?.plan.palette;
    return [offered?.definitions.map(({ name }) => name), offered?.leftOut];
  });
}

function settle(bench: WorkerBench): void {
  for (let round = 0; round < 4; round++) {
    bench.clock.advance(100);
    bench.ticks.endAll();
    bench.commit();
  }
}
