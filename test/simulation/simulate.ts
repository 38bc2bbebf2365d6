import { setImmediate } from 'node:timers/promises';
import { createRandom } from '../../bench/random.ts';
import type { Failure } from '../../src/core/errors.ts';
import { createAcknowledged } from './acknowledged.ts';
import { FAULTS, hurt, SIMULATED, type Faults } from './faults.ts';
import { startIncarnation, type Incarnation, type IncarnationOptions } from './incarnation.ts';
import { judge, lost, type Found } from './invariants.ts';
import type { Mood } from './model.ts';
import { createPeople, type People } from './people.ts';
import type { Plant } from './planted.ts';
import type { Workloads } from './workload.ts';
import { createWorld } from './world.ts';

/** What came out of a run. */
export type Outcome = {
  readonly seed: number;
  readonly findings: readonly Found[];
  readonly steps: number;
  /** What was done to it, and at which step. */
  readonly faults: readonly string[];
  readonly threads: number;
};

/** What a run is made of. */
export type Simulation = {
  readonly seed: number;
  readonly workloads: Workloads;
  /** A database file that is not there yet. */
  readonly path: string;
  readonly plant?: Plant | undefined;
  /** What may go wrong; default: everything. */
  readonly faults?: Faults | undefined;
  /** Hears of everything that happens, in order: to compare runs, and to read what a finding comes from. */
  readonly trace?: ((line: string) => void) | undefined;
};

/** Runs the whole runtime once, with the faults, delays and decisions that the seed stands for (ADR 44). */
export async function simulate({ seed, workloads, path, plant, trace, faults = FAULTS }: Simulation): Promise<Outcome> {
  const random = createRandom(seed);
  const mood: Mood = { random, isCalm: false };
  const world = createWorld(random, trace);
  const findings: Found[] = [];
  const problem = (failure: Failure): void => void findings.push(...unexpected(failure));
  const parts = { world, path, workload: workloads.draw(mood), acknowledged: createAcknowledged(), plant, problem };
  const run: Run = {
    ...parts,
    mood,
    people: createPeople(world),
    life: await startIncarnation(parts),
    faultsLeft: Math.floor(random() * (MOST_FAULTS + 1)),
    actionsLeft: 1 + Math.floor(random() * MOST_ACTIONS),
    mishaps: faults,
    faults: [],
    findings,
  };
  await chaos(run);
  await calm(run);
  await close(run);
  const judged = judge(run);
  return { ...judged, seed, steps: world.steps(), faults: run.faults, findings: [...findings, ...judged.findings] };
}

/** What is not the simulation's own doing is the runtime's. */
function unexpected({ code, message }: Failure): Found[] {
  return message.includes(SIMULATED) ? [] : [{ invariant: 'problem', message: `${code}: ${message}` }];
}

type Run = IncarnationOptions & {
  readonly mood: Mood;
  readonly people: People;
  life: Incarnation;
  faultsLeft: number;
  actionsLeft: number;
  /** What may happen, and what has happened. */
  readonly mishaps: Faults;
  readonly faults: string[];
  readonly findings: Found[];
};

const MOST_FAULTS = 5;
const MOST_ACTIONS = 16;
/** How often a step is a fault, or something that people do. */
const FAULT = 1 / 120;
const ACTION = 1 / 60;
/** Steps after which nothing more goes wrong, and those after which a run is given up. */
const CHAOS_STEPS = 4_000;
const MOST_STEPS = 60_000;
/** Milliseconds after which nothing more comes if nothing has come: longer than anything that is waited for, but for ever. */
const PATIENCE_MS = 700_000;
/** How often people are asked what is to become of what waits for them, before they end it, and in all. */
const ROUNDS = 6;
const MOST_ROUNDS = 10;

/** Anything may happen at any step. What waits for nothing but people gets them. */
async function chaos(run: Run): Promise<void> {
  const { world } = run;
  while (world.steps() < CHAOS_STEPS && run.faultsLeft + run.actionsLeft > 0) {
    if (run.life.isOver()) await restart(run);
    const chance = world.random();
    if (run.faultsLeft > 0 && chance < FAULT) await fail(run);
    else if (run.actionsLeft > 0 && chance > 1 - ACTION) act(run);
    else if (!world.step(PATIENCE_MS)) beBusy(run);
    await settled();
  }
}

function beBusy(run: Run): void {
  if (run.actionsLeft > 0) act(run);
  else run.faultsLeft = 0;
}

function act(run: Run): void {
  run.actionsLeft--;
  run.people.act(run.life.runtime);
}

async function fail(run: Run): Promise<void> {
  const { world } = run;
  const fault = hurt(world, run.life, run.mishaps);
  if (!fault) return;
  run.faultsLeft--;
  run.faults.push(`${fault} at ${world.steps()}`);
  world.note(() => `fault: ${fault}`);
  if (fault === 'kill') await restart(run);
}

/** What a step has begun is done before the next one. */
async function settled(): Promise<void> {
  await setImmediate();
}

/** Nothing goes wrong any more, and people see to what waits for them: every thread ends (M2). */
async function calm(run: Run): Promise<void> {
  const { world, people, mood, findings } = run;
  mood.isCalm = true;
  for (let rounds = 0; world.steps() < MOST_STEPS; await settled()) {
    if (run.life.isOver()) await restart(run);
    if (world.step(PATIENCE_MS)) continue;
    const open = openThreads(run);
    if (open.length === 0 && people.unanswered().length === 0) return;
    const isForPeople = open.some(({ status }) => status === 'suspended');
    if (!isForPeople || rounds++ >= MOST_ROUNDS) return void findings.push(...hangs(run));
    people.decide(run.life.runtime, rounds > ROUNDS ? 'end' : 'any');
  }
  findings.push({ invariant: 'M2', message: `there is no end after ${MOST_STEPS} steps` });
}

function openThreads({ life }: Run): ReturnType<Incarnation['runtime']['list']> {
  return life.runtime.list({ status: ['created', 'running', 'suspended'], limit: 1_000 });
}

function hangs(run: Run): Found[] {
  const threads = openThreads(run).map(({ id, status, directive }): Found => {
    return { invariant: 'M2', threadId: id, message: `${directive} is ${status}, and nothing more comes` };
  });
  const calls = run.people.unanswered().map((what): Found => ({ invariant: 'M2', message: `${what} has no answer` }));
  return [...threads, ...calls];
}

async function close({ world, life, findings }: Run): Promise<void> {
  // It never rejects.
  void life.runtime.close({ graceMs: 1_000 });
  do await settled();
  while (!life.isOver() && world.steps() < 2 * MOST_STEPS && world.step(PATIENCE_MS));
  if (life.isOver()) return;
  findings.push({ invariant: 'M2', message: 'the runtime does not close' });
  life.crash();
}

/** The next runtime on what the last one has left. */
async function restart(run: Run): Promise<void> {
  run.world.note(() => 'restart');
  run.people.leave();
  run.findings.push(...lost(run));
  run.life = await startIncarnation(run);
}
