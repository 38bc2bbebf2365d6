import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { admit, END, idOf, scratchStore, step, type ScratchStore } from '../../../test/conformance/store-fixture.ts';
import { loadConfig } from '../../config/load.ts';
import type { StepOp } from '../../core/store.ts';
import { openWindow } from '../../store/window.ts';
import { restingThreads } from '../operations/resting-threads.ts';
import { followWindow, type Follower, type Shown } from './follow.ts';

const CHILDREN = Array.from({ length: 2_000 }, (_, index) => index + 2);
const LAST = 2_001;
const MOST = 500;
const { config } = loadConfig({ systemDir: fileURLToPath(new URL('../../../config', import.meta.url)) });

type Followed = {
  readonly project: ScratchStore;
  readonly follower: Follower;
  /** Another one that goes on where this one is. */
  readonly next: () => Follower;
} & Disposable;

/** Thread 1 with its children, and who follows it. */
function followed(shown: Shown): Followed {
  const project = scratchStore();
  project.store.commit([
    admit(1, { ceiling: 1_000_000 }),
    ...CHILDREN.map((thread) => admit(thread, { parent: 1, ceiling: 1 })),
  ]);
  const window = openWindow(project.path);
  const { reader } = project;
  const threads = restingThreads({ reader, config, isRun: () => true });
  const follower = followWindow(shown, { reader, window, threads });
  return {
    project,
    follower,
    next: () => followWindow(shown, { reader, window, threads }, follower.upTo()),
    [Symbol.dispose]() {
      window.close();
      project[Symbol.dispose]();
    },
  };
}

function end(thread: number): StepOp {
  return step(thread, 1, { status: END });
}

describe('Of more changes than one look tells', () => {
  test('the others are told in the looks after it, each once, though nothing else happens', () => {
    using it = followed({ levels: [idOf(1)] });
    it.project.store.commit(CHILDREN.map(end));
    const looks = [1, 2, 3, 4, 5].map(() => it.follower.news(MOST));
    expect(looks.map(({ threads, more }) => [threads.length, more])).toEqual([
      [MOST, 1_500],
      [MOST, 1_000],
      [MOST, 500],
      [MOST, 0],
      [0, 0],
    ]);
    const told = looks.flatMap(({ threads }) => threads);
    expect(new Set(told.map(({ status }) => status))).toEqual(new Set(['completed']));
    expect(told.map(({ id }) => id)).toEqual(CHILDREN.map(idOf));
  });

  test('the open thread is told first, with those above it', () => {
    using it = followed({ levels: [idOf(1)], thread: idOf(LAST) });
    it.project.store.commit(CHILDREN.map(end));
    const { threads, more } = it.follower.news(MOST);
    expect(threads.slice(0, 3).map(({ id }) => id)).toEqual([idOf(LAST), idOf(1), idOf(2)]);
    expect(more).toBe(CHILDREN.length + 1 - MOST);
  });

  test('one that changes again before it is told is told once, as it stands then', () => {
    using it = followed({ levels: [idOf(1)] });
    it.project.store.commit(CHILDREN.map((thread) => step(thread, 1, { status: { to: 'running' } })));
    it.follower.news(MOST);
    it.project.store.commit([step(LAST, 2, { status: END })]);
    const told = [1, 2, 3].flatMap(() => it.follower.news(MOST).threads);
    expect(told.filter(({ id }) => id === idOf(LAST)).map(({ status }) => status)).toEqual(['completed']);
  });

  test('none is left where all that is shown is to be read again', () => {
    const shown: Shown = { levels: [idOf(1)], thread: undefined };
    using it = followed(shown);
    for (let sequence = 1; sequence < 8; sequence++) {
      if (sequence === 2) it.follower.news(MOST);
      it.project.store.commit(CHILDREN.map((thread) => step(thread, sequence)));
    }
    expect(it.follower.news(MOST)).toMatchObject({ threads: [], more: 0, isCut: true, isNews: true });
    expect(it.follower.news(MOST)).toEqual({ threads: [], more: 0, isCut: false, isNews: false, shown });
  });
});

describe('A follower that goes on where another one is', () => {
  test('tells what that one had still to tell', () => {
    using it = followed({ levels: [idOf(1)] });
    it.project.store.commit(CHILDREN.map(end));
    const before = it.follower.news(MOST).threads;
    const next = it.next();
    const told = [1, 2, 3, 4].flatMap(() => next.news(MOST).threads);
    expect(before).toHaveLength(MOST);
    expect(new Set(told.map(({ id }) => id))).toEqual(new Set(CHILDREN.map(idOf)));
  });

  test('tells what has changed since that one looked, once', () => {
    const shown: Shown = { levels: [idOf(1)], thread: undefined };
    using it = followed(shown);
    it.project.store.commit([end(2)]);
    it.follower.news(MOST);
    it.project.store.commit([end(LAST)]);
    const next = it.next();
    expect(next.news(MOST).threads.map(({ id }) => id)).toEqual([idOf(LAST)]);
    expect(next.news(MOST)).toEqual({ threads: [], more: 0, isCut: false, isNews: false, shown });
    expect(next.upTo()).not.toEqual(it.follower.upTo());
  });
});

describe('Of what is looked at', () => {
  const NEW = LAST + 1;

  test('all threads are told of, whatever is above them, and that they are shown', () => {
    using it = followed({ levels: [], all: true });
    it.project.store.commit([admit(NEW, { parent: 2, ceiling: 0 }), end(3)]);
    const { shown, threads } = it.follower.news(MOST);
    expect(shown).toEqual({ levels: [], all: true });
    expect(threads.map(({ id }) => id)).toEqual([NEW, 2, 1, 3].map(idOf));
  });

  test('what there is not keeps nobody from hearing of the rest, and is followed once it is there', () => {
    using it = followed({ levels: [undefined, idOf(NEW), idOf(1)], thread: idOf(NEW) });
    const there = { levels: [undefined, idOf(1)], thread: undefined };
    expect([it.follower, it.next()].map((one) => one.news(MOST).shown)).toEqual([there, there]);
    it.project.store.commit([admit(NEW, { ceiling: 1 }), end(2)]);
    const { shown, threads } = it.follower.news(MOST);
    expect(shown).toEqual({ levels: [undefined, idOf(NEW), idOf(1)], thread: idOf(NEW) });
    expect(threads.map(({ id }) => id)).toEqual([idOf(NEW), idOf(2), idOf(1)]);
  });
});
