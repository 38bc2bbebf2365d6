import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { admit, END, idOf, scratchStore, step } from '../../../test/conformance/store-fixture.ts';
import { loadConfig } from '../../config/load.ts';
import { SILENCE } from '../../core/words.ts';
import { restingThreads } from '../../host/operations/resting-threads.ts';
import { createProjectWindow } from '../../host/window/project-window.ts';
import type { ProjectConnection } from '../../index.ts';
import { openWindow } from '../../store/window.ts';
import { BATCHES_PER_SECOND, type LiveMessage } from '../api.ts';
import { createSseParser } from '../ui/model/sse-parser.ts';
import { watchLive } from './live.ts';
import { createTotals } from './totals.ts';
import { createViewer } from './viewer.ts';

const PERIOD_MS = 1_000 / BATCHES_PER_SECOND;
const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../../../config', import.meta.url)) });

/** A viewer of thread 1, which is open, and its child 2, through one connection after the other. */
function watched() {
  const open = new DisposableStack();
  const project = open.use(scratchStore());
  project.store.commit([admit(1), admit(2, { parent: 1, ceiling: 1 })]);
  const clock = createHandClock();
  const connect = (isRun: boolean): { connection: ProjectConnection; totals: ReturnType<typeof createTotals> } => {
    const window = open.adopt(openWindow(project.path), (opened) => opened.close());
    const { reader } = project;
    const threads = restingThreads({ reader, config, isRun: true });
    const own = { isRun, window: createProjectWindow({ reader, window, threads, config, clock }) };
    // The live view asks a connection for these three.
    const connection = { ...own, words: async () => SILENCE } as unknown as ProjectConnection;
    return { connection, totals: createTotals(connection.window, clock) };
  };
  let reached = connect(true);
  // Between two looks its timer runs.
  const rested = async (): Promise<void> => {
    await expect.poll(() => clock.pending()).toBe(1);
  };
  const viewer = createViewer(clock.now);
  open.defer(() => viewer.close());
  const heard: LiveMessage[] = [];
  watchLive(
    viewer,
    { levels: [idOf(1)], thread: idOf(1), after: 0 },
    { reach: async () => reached, clock, problem: (failure) => expect.unreachable(failure.message) },
  );
  // It ends with the viewer.
  void readInto(heard, viewer.body);
  return {
    project,
    heard,
    types: () => heard.map(({ type }) => type),
    /** The connection was closed, and there is another one. */
    reachAnew: (isRun: boolean) => (reached = connect(isRun)),
    /** Takes the look that is due; the first has been taken before. */
    async look() {
      await rested();
      clock.advance(PERIOD_MS);
      await rested();
    },
    [Symbol.dispose]: () => open.dispose(),
  };
}

async function readInto(heard: LiveMessage[], body: ReadableStream<Uint8Array>): Promise<void> {
  const decoder = new TextDecoder();
  const parse = createSseParser(({ data }) => heard.push(JSON.parse(data)));
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

  test('is to read again what is shown, where a runtime has come or gone', async () => {
    using it = watched();
    await it.look();
    it.reachAnew(false);
    await it.look();
    await expect.poll(it.types).toEqual(['hello', 'threads', 'hello', 'threads']);
    expect(it.heard[2]).toMatchObject({ is_run: false });
  });
});
