import { setImmediate } from 'node:timers/promises';
import Database from 'better-sqlite3';
import type { Finding } from '../../src/core/finding.ts';
import { legalEdges } from '../../src/host/legal-edges.ts';
import { checkDatabase } from '../../src/store/checks/check-database.ts';
import { createRandom } from '../../bench/random.ts';
import { createAcknowledged } from './acknowledged.ts';
import { startIncarnation, type Incarnation, type IncarnationOptions } from './incarnation.ts';
import { draw, type Mood } from './model.ts';
import { createPeople, type People } from './people.ts';
import type { Plant } from './planted.ts';
import type { Workloads } from './workload.ts';
import { createWorld } from './world.ts';

/** What came out of a run. */
export type Outcome = {
  readonly seed: number;
  readonly findings: readonly Finding[];
  readonly steps: number;
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
  readonly trace?: (line: string) => void;
};

/** Runs the whole runtime once, with the faults, delays and decisions that the seed stands for. */
export async function simulate({ seed, workloads, path, plant, trace }: Simulation): Promise<Outcome> {
  const random = createRandom(seed);
  const mood: Mood = { random, isCalm: false };
  const world = createWorld(random, trace);
  const parts = { world, path, workload: workloads.draw(mood), acknowledged: createAcknowledged(), plant };
  const run: Run = {
    ...parts,
    mood,
    people: createPeople(world),
    life: await startIncarnation(parts),
    faultsLeft: Math.floor(random() * (MOST_FAULTS + 1)),
    actionsLeft: 1 + Math.floor(random() * MOST_ACTIONS),
    faults: [],
    findings: [],
  };
  await chaos(run);
  await calm(run);
  await close(run);
  return { seed, steps: world.steps(), faults: run.faults, ...judge(run) };
}

type Run = IncarnationOptions & {
  readonly mood: Mood;
  readonly people: People;
  life: Incarnation;
  faultsLeft: number;
  actionsLeft: number;
  readonly faults: string[];
  readonly findings: Finding[];
};

const MOST_FAULTS = 5;
const MOST_ACTIONS = 24;
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

async function chaos(run: Run): Promise<void> {
  const { world, people } = run;
  while (world.steps() < CHAOS_STEPS && run.faultsLeft + run.actionsLeft > 0) {
    if (run.life.isOver()) await restart(run);
    const chance = world.random();
    if (run.faultsLeft > 0 && chance < FAULT) await hurt(run);
    else if (run.actionsLeft > 0 && (chance > 1 - ACTION || !world.step(PATIENCE_MS))) {
      run.actionsLeft--;
      people.act(run.life.runtime);
    } else if (run.actionsLeft === 0 && !world.step(PATIENCE_MS)) run.faultsLeft = 0;
    await settled();
  }
}

/** What was begun by a step is done before the next one. */
async function settled(): Promise<void> {
  await setImmediate();
}

/** Nothing goes wrong any more, and people see to what waits for them: every thread ends (M2). */
async function calm(run: Run): Promise<void> {
  const { world, people, mood, findings } = run;
  mood.isCalm = true;
  for (let rounds = 0; world.steps() < MOST_STEPS; ) {
    if (run.life.isOver()) await restart(run);
    if (!world.step(PATIENCE_MS)) {
      const stuck = findStuck(run);
      if (stuck === 'nothing') return;
      if (stuck !== 'people' || rounds++ >= MOST_ROUNDS) return void findings.push(...hangs(run));
      people.decide(run.life.runtime, rounds > ROUNDS ? 'end' : 'any');
    }
    await settled();
  }
  findings.push({ invariant: 'M1', message: `M2: there is no end after ${MOST_STEPS} steps` });
}

/** What is open: threads that wait for people, threads that wait for nothing that comes. */
function findStuck({ life, people }: Run): 'nothing' | 'people' | 'something' {
  const open = life.runtime.list({ status: ['created', 'running', 'suspended'], limit: 1_000 });
  if (open.length === 0 && people.unanswered().length === 0) return 'nothing';
  return open.some(({ status }) => status === 'suspended') ? 'people' : 'something';
}

function hangs({ life, people }: Run): Finding[] {
  const open = life.runtime.list({ status: ['created', 'running', 'suspended'], limit: 1_000 });
  const threads = open.map(({ id, status, directive }): Finding => ({
    invariant: 'M1',
    threadId: id,
    message: `M2: ${directive} is ${status}, and nothing will happen`,
  }));
  return [...threads, ...people.unanswered().map((what): Finding => ({ invariant: 'M1', message: `M2: ${what} has no answer` }))];
}

async function close(run: Run): Promise<void> {
  const { world, life, findings } = run;
  void life.runtime.close({ graceMs: 1_000 });
  await settled();
  for (let left = 5_000; !life.isOver() && left > 0; left--) {
    if (!world.step(PATIENCE_MS)) break;
    await settled();
  }
  if (!life.isOver()) {
    findings.push({ invariant: 'M1', message: 'M2: the runtime does not close' });
    life.crash();
  }
}

async function hurt(run: Run): Promise<void> {
  const { world, life } = run;
  run.faultsLeft--;
  const what = draw(world.random, FAULTS);
  run.faults.push(`${what} at ${world.steps()}`);
  world.note(() => `fault: ${what}`);
  if (what === 'kill') {
    life.crash();
    await restart(run);
  } else if (what === 'worker') life.crashWorker(Math.floor(world.random() * 2));
  else if (what === 'close') void life.runtime.close({ graceMs: world.random() * 5_000 });
  else life.failStore(what);
}

const FAULTS = [
  [5, 'kill'],
  [2, 'worker'],
  [1, 'close'],
  [1, 'before'],
  [1, 'after'],
] as const;

/** The next runtime on what the last one has left. */
async function restart(run: Run): Promise<void> {
  run.world.note(() => 'restart');
  run.people.leave();
  run.findings.push(...inDatabase(run.path, (db) => run.acknowledged.missing(db)));
  run.life = await startIncarnation(run);
}

function judge({ path, acknowledged, people, findings }: Run): { findings: Finding[]; threads: number } {
  return inDatabase(path, (db) => ({
    findings: [
      ...findings,
      ...people.findings,
      ...acknowledged.missing(db),
      ...checkDatabase(db, { edges: legalEdges() }),
      ...toldOtherwise(db, people),
    ],
    threads: Number(db.prepare('SELECT COUNT(*) FROM threads').pluck().get()),
  }));
}

/** Endings that people were told, and that are not what is on disk. */
function toldOtherwise(db: Database.Database, { told }: People): Finding[] {
  const row = db.prepare<[string], { readonly status: string; readonly next: string | null }>(
    `SELECT status, (SELECT thread_id FROM threads AS later WHERE later.thread = threads.successor) AS next
      FROM threads WHERE thread_id = ?`,
  );
  const statusOf = (id: string): string | undefined => {
    const { status, next } = row.get(id) ?? {};
    return status === 'continued' && next ? statusOf(next) : status;
  };
  return [...told]
    .filter(([id, as]) => statusOf(id) !== as)
    .map(([id, as]) => ({ invariant: 'E1', message: `${id} was told as ${as}, and is ${statusOf(id)}` }));
}

function inDatabase<Value>(path: string, read: (db: Database.Database) => Value): Value {
  const db = new Database(path, { readonly: true });
  try {
    return read(db);
  } finally {
    db.close();
  }
}
