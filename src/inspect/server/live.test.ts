import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { admit, END, idOf, scratchStore, step } from '../../../test/conformance/store-fixture.ts';
import { loadConfig } from '../../config/load.ts';
import { encodeEvent } from '../../core/events.ts';
import type { Words, WordsQuestion } from '../../core/words.ts';
import { restingThreads } from '../../host/operations/resting-threads.ts';
import { createProjectWindow } from '../../host/window/project-window.ts';
import type { ProjectConnection } from '../../index.ts';
import { openWindow } from '../../store/window.ts';
import { ALL, BATCHES_PER_SECOND, ROOT, type LiveMessage } from '../api.ts';
import { createSseParser } from '../ui/model/sse-parser.ts';
import { watchLive } from './live.ts';
import { createTotals } from './totals.ts';
import { createViewer } from './viewer.ts';

const PERIOD_MS = 1_000 / BATCHES_PER_SECOND;
const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../../../config', import.meta.url)) });

type Situation = {
  /** How long the runtimes take to answer. */
  readonly wordsMs?: number;
  /** How long it takes to reach one, in which nothing else is done. */
  readonly reachMs?: number;
  readonly levels?: readonly string[];
  readonly thread?: string;
};

/** A viewer of thread 1, which is open, and its child 2, through one connection after the other. */
function watched({ wordsMs = 0, reachMs = 0, levels = [idOf(1)], thread = idOf(1) }: Situation = {}) {
  const open = new DisposableStack();
  const project = open.use(scratchStore());
  project.store.commit([admit(1), admit(2, { parent: 1, ceiling: 1 })]);
  const clock = createHandClock();
  const connect = (isRun: boolean): { connection: ProjectConnection; totals: ReturnType<typeof createTotals> } => {
    const window = open.adopt(openWindow(project.path), (opened) => opened.close());
    const { reader } = project;
    const threads = restingThreads({ reader, config, isRun: () => true });
    const own = { isRun, window: createProjectWindow({ reader, window, threads, config, clock }) };
    const words = (question: WordsQuestion): Promise<Words> => {
      asked++;
      const told = said(question);
      return wordsMs === 0
        ? Promise.resolve(told)
        : new Promise((resolve) => void clock.setTimer(wordsMs, () => resolve(told)));
    };
    // The live view asks a connection for these three.
    const connection = { ...own, words } as unknown as ProjectConnection;
    return { connection, totals: createTotals(connection.window, clock) };
  };
  let asked = 0;
  let speech = { answer: 0, text: '' };
  // As a runtime does.
  const said = ({ answer, after = 0 }: WordsQuestion): Words => {
    const from = answer === speech.answer ? after : 0;
    return { answer: speech.answer, from, text: speech.text.slice(from) };
  };
  let reached = connect(true);
  // Between two looks its timer runs.
  const rested = async (): Promise<void> => {
    await expect.poll(() => clock.pending()).toBe(1);
  };
  const reach = async (): Promise<typeof reached> => {
    // Its timer has fired before.
    await Promise.resolve();
    clock.advance(reachMs);
    return reached;
  };
  const viewer = createViewer(clock.now);
  open.defer(() => viewer.close());
  const heard: LiveMessage[] = [];
  watchLive(
    viewer,
    { levels, thread, after: 0 },
    { reach, clock, problem: (failure) => expect.unreachable(failure.message) },
  );
  // It ends with the viewer.
  void readInto(heard, viewer.body);
  return {
    project,
    heard,
    types: () => heard.map(({ type }) => type),
    /** The connection was closed, and there is another one. */
    reachAnew: (isRun: boolean) => (reached = connect(isRun)),
    /** The model has said so much of an answer, of which each has its number. */
    say: (answer: number, text: string) => void (speech = { answer, text }),
    /** Takes the look that is due; the first has been taken before. */
    async look() {
      await rested();
      clock.advance(PERIOD_MS);
      await rested();
    },
    /** How often the runtime was asked for words after so many milliseconds, of which none passes before something waits for it. */
    async asked(afterMs: number) {
      for (let ms = 0; ms < afterMs; ms += PERIOD_MS) {
        await rested();
        clock.advance(PERIOD_MS);
      }
      await rested();
      return asked;
    },
    [Symbol.dispose]: () => open.dispose(),
  };
}

async function readInto(heard: LiveMessage[], body: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  const parse = createSseParser((data) => heard.push(JSON.parse(data)));
  for await (const bytes of body) parse(decoder.decode(bytes, { stream: true }));
}

describe('A viewer whose project is reached through another connection', () => {
  test('is told what has changed between the two and nothing else, where a runtime was only quiet', async () => {
    using it = watched();
    await it.look();
    it.project.store.commit([step(2, 1, { status: END }), step(1, 1)]);
    it.reachAnew(true);
    await it.look();
    await it.look();
    await expect.poll(it.types).toEqual(['hello', 'threads', 'log', 'threads']);
    const [, , log, batch] = it.heard;
    expect(log).toMatchObject({ id: idOf(1), events: [{ sequence: 1 }] });
    expect(batch).toMatchObject({
      changed: [{ id: idOf(1) }, { id: idOf(2), status: 'completed' }],
      levels: [{ parent: idOf(1), totals: { counts: { completed: 1 } } }],
    });
  });

  test('hears nothing before something changes, where a runtime was only quiet', async () => {
    using it = watched();
    await it.look();
    it.reachAnew(true);
    await it.look();
    it.project.store.commit([step(1, 1)]);
    await it.look();
    await expect.poll(it.types).toEqual(['hello', 'threads', 'log', 'threads']);
  });

  test('is to read again what is shown, where a runtime has come or gone, also one that does not answer', async () => {
    using it = watched();
    await it.look();
    for (let round = 0; round < 2; round++) {
      it.reachAnew(false);
      await it.look();
    }
    const whole = ['hello', 'threads'];
    await expect.poll(it.types).toEqual([...whole, ...whole, ...whole]);
    expect(it.heard.filter(({ type }) => type === 'hello')).toMatchObject([
      { is_run: true },
      { is_run: false },
      { is_run: false },
    ]);
  });
});

test('A runtime that takes long to answer is waited for, and not rested from', async () => {
  using it = watched({ wordsMs: 3 * PERIOD_MS });
  it.project.store.commit([step(1, 1, { status: { to: 'running' } })]);
  // Each time for three periods, with one between.
  expect(await it.asked(12 * PERIOD_MS)).toBe(4);
});

test('The work of reaching a project is rested from', async () => {
  using it = watched({ reachMs: PERIOD_MS });
  it.project.store.commit([step(1, 1, { status: { to: 'running' } })]);
  // At first, and after ten and twenty periods of rest.
  expect(await it.asked(22 * PERIOD_MS)).toBe(3);
});

test('An answer is told from its beginning again where the log ends the one before after its words', async () => {
  using it = watched();
  it.project.store.commit([step(1, 1, { status: { to: 'running' } })]);
  await it.look();
  it.say(1, 'One');
  await it.look();
  it.say(2, 'Tw');
  const line = encodeEvent({ sequence: 2, event_type: 'cognition_out', time: 1, payload: { text: 'One', model: 'm' } });
  it.project.store.commit([step(1, 2, { lines: line })]);
  await it.look();
  await it.look();
  await it.look();
  await expect.poll(() => it.heard.flatMap((one) => (one.type === 'words' ? [one] : []))).toHaveLength(3);
  const told = it.heard.filter(({ type }) => type === 'words' || type === 'log').slice(-4);
  expect(told).toMatchObject([
    { type: 'words', from: 0, text: 'One' },
    { type: 'words', from: 0, text: 'Tw' },
    { type: 'log', events: [{ event_type: 'cognition_out' }] },
    { type: 'words', from: 0, text: 'Tw' },
  ]);
});

test('Who looks at all threads is told of each, whatever is above it, and what all come to', async () => {
  using it = watched({ levels: [ALL] });
  await it.look();
  it.project.store.commit([step(2, 1, { status: END })]);
  await it.look();
  await expect.poll(it.types).toEqual(['hello', 'threads', 'threads']);
  expect(it.heard.slice(1)).toMatchObject([
    { changed: [], levels: [{ parent: ALL, totals: { threads: 2 } }] },
    { changed: [{ id: idOf(1) }, { id: idOf(2), status: 'completed' }] },
  ]);
});

test('A level and a thread that there are not keep nobody from hearing of the rest, also through another connection', async () => {
  using it = watched({ levels: [idOf(8), ROOT], thread: idOf(9) });
  await it.look();
  it.project.store.commit([step(1, 1)]);
  it.reachAnew(true);
  await it.look();
  it.project.store.commit([admit(9, { ceiling: 1 }), step(9, 1)]);
  await it.look();
  await it.look();
  await expect.poll(it.types).toEqual(['hello', 'threads', 'threads', 'log', 'threads']);
  expect(it.heard.slice(1)).toMatchObject([
    { levels: [{ parent: ROOT }] },
    { changed: [{ id: idOf(1) }] },
    { id: idOf(9), events: [{ sequence: 1 }] },
    { changed: [{ id: idOf(9) }] },
  ]);
});

test('While trees are archived a viewer is told to read all again, but not at every look, and once more at the end', async () => {
  using it = watched();
  using archiver = writing(it.project.path);
  await it.look();
  for (let looks = 0; looks < 4; looks++) {
    archiver.run("INSERT INTO upkeep VALUES ('moves', 1) ON CONFLICT (work) DO UPDATE SET done_at = done_at + 1");
    await it.look();
  }
  for (let looks = 0; looks < CUTS_PERIODS; looks++) await it.look();
  await expect.poll(() => it.types().filter((type) => type === 'dropped')).toHaveLength(2);
});

/** Looks between two times that a viewer is told that something was cut. */
const CUTS_PERIODS = 2_000 / PERIOD_MS;

/** The database as another process writes it. */
function writing(path: string): { readonly run: (sql: string) => void } & Disposable {
  const db = new Database(path);
  return { run: (sql) => void db.exec(sql), [Symbol.dispose]: () => db.close() };
}
