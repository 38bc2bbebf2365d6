import type { Config } from '../../src/config/config.ts';
import type { Message } from '../../src/core/conversation.ts';
import { decodeEvents, type StoredEvent } from '../../src/core/events.ts';
import type { Tool } from '../../src/core/tool.ts';
import type { ThreadNo } from '../../src/core/ids.ts';
import type { WorkerReport } from '../../src/core/protocol.ts';
import type { StepOp } from '../../src/core/store.ts';
import type { Inheritance } from '../../src/thread/conversation/inheritance.ts';
import { takeOver } from '../../src/thread/conversation/take-over.ts';
import { call, NEVER, ORCHESTRATE, SCRIPTED, type Part } from '../fixtures/scene.ts';
import { createThreadBench } from '../fixtures/thread-bench.ts';
import { createWorkerBench, type WorkerBench } from '../fixtures/worker-bench.ts';
import type { State } from './row.ts';

const OTHERS = [1, 2].map((thread) => `thread-${String(thread).repeat(32)}`);
const slow = { name: 'app_slow', input: {} };

/** Answers come when the clock is moved. */
const later = (answer: object): Part['says'] => [{ ...answer, delay_ms: 10 }];

const PARTS: Record<string, Part> = {
  endless: { says: [NEVER] },
  risky: {
    says: [...later(call('app_risky')), ...later({ error: { status_code: 503 } })],
  },
  long: {
    limits: { tokens: 10_000_000 },
    says: [50_000, 60_000, 110_000].flatMap((tokens) =>
      later({ ...call('app_slow', { pattern: 'no/such/folder/'.repeat(40) }), usage: { input_tokens: tokens } }),
    ),
  },
  quick: { says: [{ text: 'done' }] },
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

/** A thread that runs with a config of its own, and what was said and stored since it was started. */
type Observed = Pick<WorkerBench, 'clock' | 'commit' | 'host'> & {
  readonly thread: ThreadNo;
  /** How many calls its tools have had. */
  readonly calls: () => number;
  readonly said: <Type extends WorkerReport['type']>(type: Type) => Extract<WorkerReport, { type: Type }>[];
  readonly log: () => StoredEvent[];
  readonly steps: () => readonly StepOp[];
  /** Lets what is under way go on for some rounds of answers. */
  readonly settle: () => void;
};

/** One worker for all: a thread has the config that was in force when it came. */
let worker: { readonly bench: WorkerBench; readonly tools: { calls: number; waits: boolean } } | undefined;

/** Ends the worker. */
export function closeWorker(): void {
  worker?.bench[Symbol.dispose]();
  worker = undefined;
}

function workerWith(config: Config): NonNullable<typeof worker> {
  if (worker) {
    worker.bench.host.receive({ type: 'config', config });
    return worker;
  }
  const bench = createWorkerBench(PARTS, {}, { config });
  const tools = { calls: 0, waits: false };
  const tool = (name: string, idempotent: boolean): Tool => ({
    id: `app/${name}`,
    description: 'Takes its time',
    inputSchema: { type: 'object' },
    idempotent,
    run(_input, _caller, done) {
      tools.calls++;
      if (!tools.waits) done({ ok: true, value: 'done' });
      return undefined;
    },
  });
  bench.services.tools.add([tool('slow', true), tool('risky', false)]);
  worker = { bench, tools };
  return worker;
}

type Observation = {
  readonly directive: string;
  /** Its tools never answer; else at once. */
  readonly waits?: boolean;
  /** From its start on. */
  readonly isWatched?: boolean;
};

/** Starts a directive in a worker with this config, looks at it, and ends it. */
export function observe<Seen>(
  config: Config,
  { directive, waits = false, isWatched = false }: Observation,
  see: (observed: Observed) => Seen,
): Seen {
  const { bench, tools } = workerWith(workable(config));
  Object.assign(tools, { calls: 0, waits });
  const from = bench.reports.length;
  if (isWatched) bench.host.receive({ type: 'watch', threads: 'all', on: true });
  const thread = bench.start(directive);
  const settle = (): void => rounds(bench);
  const seen = see({
    clock: bench.clock,
    commit: () => bench.commit(),
    host: bench.host,
    thread,
    calls: () => tools.calls,
    said: <Type extends WorkerReport['type']>(type: Type) =>
      bench.reports.slice(from).filter((given): given is Extract<WorkerReport, { type: Type }> => given.type === type),
    log: () => bench.log(thread),
    steps: () => bench.steps.filter((step) => step.thread === thread),
    settle,
  });
  bench.host.receive({ type: 'cancel', threads: [thread], reason: 'seen' });
  settle();
  if (isWatched) bench.host.receive({ type: 'watch', threads: 'all', on: false });
  return seen;
}

function rounds(bench: WorkerBench): void {
  for (let round = 0; round < 4; round++) {
    bench.clock.advance(100);
    bench.ticks.endAll();
    bench.commit();
  }
}

/** How often a call that fails again and again is made. */
export function attempts({ config }: State): number {
  return observe(config, { directive: 'failing' }, ({ clock, commit, log }) => {
    for (let round = 0; round < 20; round++) {
      clock.advance(1000);
      commit();
    }
    return log().filter(({ event_type }) => event_type === 'error_classified').length;
  });
}

/** How a thread ends at a limit. */
export function endAtLimit({ config }: State): unknown {
  return observe(config, { directive: 'limited' }, ({ settle, log }) => {
    settle();
    return log().map(({ event_type }) => event_type);
  });
}

/** What a thread asks of the host that waits for two others, and what it hears. */
export function wait({ config }: State): unknown {
  return observe(config, { directive: 'waiting' }, ({ settle, said, log }) => {
    settle();
    const heard = log().filter(({ event_type }) => event_type === 'tool_call_result');
    const asked = said('wait').map(({ threadIds, timeoutMs, failFast }) => ({ threadIds, timeoutMs, failFast }));
    return [asked, heard.map(({ payload }) => payload)];
  });
}

/** How many of nine slow calls are under way at once. */
export function callsAtOnce({ config }: State): number {
  return observe(config, { directive: 'busy', waits: true }, ({ settle, calls }) => {
    settle();
    return calls();
  });
}

/** Which tools a model is offered, and which it is not for want of room. */
export function palette({ config }: State): unknown {
  return observe(config, { directive: 'endless' }, ({ host, thread }) => {
    const offered = host.get(thread)?.plan.palette;
    return [offered?.definitions.map(({ name }) => name), offered?.leftOut];
  });
}

/** Behind which events checkpoints are taken where no other trigger is on. */
export function checkpoints({ config }: State, path: string): unknown {
  const { checkpoint } = config.resilience;
  const own = path.split('.').at(-1);
  const triggers = {
    preTurn: own === 'pre_turn' && checkpoint.triggers.preTurn,
    postLlm: own === 'post_llm' && checkpoint.triggers.postLlm,
    postTools: own === 'post_tools' && checkpoint.triggers.postTools,
    onError: own === 'on_error' && checkpoint.triggers.onError,
  };
  const resilience = { ...config.resilience, checkpoint: { ...checkpoint, triggers } };
  return observe({ ...config, resilience }, { directive: 'risky' }, ({ settle, steps }) => {
    settle();
    const taken = steps().filter((step) => step.checkpoint);
    return taken.map(({ lines }) => decodeEvents(lines).map(({ event_type }) => event_type));
  });
}

/** What is done about a conversation that fills most of the window: with the hooks that ship, and without them. */
export function underPressure({ config }: State): unknown {
  const builtin = config.hooks.builtin.filter(({ event }) => event !== 'context_window_pressure');
  const bare = { ...config, hooks: { ...config.hooks, builtin } };
  return [config, bare].map((each) =>
    observe(each, { directive: 'long' }, ({ settle, said }) => {
      settle();
      return [said('spawned').length, said('succeed').length];
    }),
  );
}

/** How many messages a successor has at first of a thread that handed over with more of them. */
export function handedOver({ config }: State): number {
  const { thread, services } = createThreadBench();
  const said = Array.from({ length: 100 }, (): Message => ({ role: 'assistant', text: 'so much', toolCalls: [] }));
  const inherited: Inheritance = {
    from: 'thread-0',
    messages: [{ role: 'user', text: 'the task' }, ...said],
    tokens: 0,
    context: [],
    isHandedOver: true,
  };
  const plan = { ...thread.plan, model: { ...thread.plan.model, contextWindow: 100_000 } };
  takeOver({ thread: Object.assign(thread, { plan, inherited }), services: { ...services, config } });
  return thread.messages.length;
}

/** What the log keeps and watchers see of a call that says and thinks something before it is cancelled. */
export function interruptedCall({ config }: State): unknown {
  return observe(config, { directive: 'endless' }, ({ host, thread, clock, settle, log, said }) => {
    host.receive({ type: 'watch', threads: [thread], on: true });
    const sink = host.get(thread)?.sink;
    for (const text of ['one ', 'two ', 'three ', 'four']) {
      sink?.chunk({ type: 'reasoning', text });
      sink?.chunk({ type: 'text', text });
      clock.advance(60);
    }
    host.receive({ type: 'cancel', threads: [thread], reason: 'no' });
    settle();
    const shown = said('events').filter(({ stored }) => !stored);
    return [log(), shown.flatMap(({ lines }) => decodeEvents(lines))].map((events) =>
      events
        .filter(({ event_type }) => event_type.startsWith('cognition_'))
        .map(({ event_type, payload }) => [event_type, payload]),
    );
  });
}

/** What is stored, and what only shown, of a thread's calls and hooks while somebody looks on. */
export function shownCalls({ config }: State): unknown {
  return observe(config, { directive: 'limited', isWatched: true }, ({ settle, log, said }) => {
    settle();
    const shown = said('events').filter(({ stored }) => !stored);
    return [log(), shown.flatMap(({ lines }) => decodeEvents(lines))].map((events) =>
      events.map(({ event_type }) => event_type).filter((type) => type === 'model_call_started' || type === 'hook_ran'),
    );
  });
}

/** How the prompt of a thread is assembled whose directive does not say. */
export function assemblyOf({ config }: State): unknown {
  return observe(config, { directive: 'quick' }, ({ host, thread, settle }) => {
    const assembly = host.get(thread)?.plan.assembly;
    settle();
    return assembly;
  });
}
