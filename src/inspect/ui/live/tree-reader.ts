import type { ApiStatus, LevelAnswer, ThreadRow } from '../../api.ts';
import { openLevels, type OpenLevels, type ShownTree } from '../model/tree-rows.ts';
import {
  readingOf,
  topOf,
  withExpanded,
  withFailure,
  withFilter,
  withPage,
  withReading,
  type TreeState,
} from '../model/tree-state.ts';
import type { Answer, ApiClient } from './api-client.ts';
import type { PageState } from './page-state.ts';
import type { Store } from './store.ts';

/** The server follows at most so many levels for one page. */
const MOST_LEVELS = 50;

/** The open levels as they are followed. */
export function followedLevels(tree: ShownTree): OpenLevels {
  return openLevels(tree, MOST_LEVELS);
}

/** Threads of a page: the first one is to be there soon. */
const PAGE = { first: 100, most: 500 };

/** Reads the tree from the API into the store. */
export type TreeReader = {
  /** The next page of a level, if there is one and it is not being read. */
  more(parent: string): Promise<void>;
  expand(id: string, open: boolean): void;
  /** All threads that stand so in one list; none: the tree again. */
  filter(statuses: readonly ApiStatus[]): void;
  /** These levels again; default: all that are followed. */
  refresh(levels?: readonly string[]): Promise<void>;
};

/** A reader of the tree. */
export function createTreeReader(api: ApiClient, store: Store<PageState>): TreeReader {
  const change = (step: (tree: TreeState) => TreeState): void =>
    store.set((state) => ({ ...state, tree: step(state.tree) }));

  const read = async (page: Pick<LevelQuery, 'parent' | 'after' | 'limit'>, least: number = 0): Promise<void> => {
    const { parent, after } = page;
    const { filter } = store.get().tree;
    change((tree) => withReading(tree, parent));
    const since = store.get().tree.version;
    const status = filter.length === 0 ? undefined : filter.join(',');
    const answer = await readPages(api, { ...page, status }, least);
    // Meanwhile another choice was made, whose pages come.
    if (store.get().tree.filter !== filter) return;
    change((tree) =>
      answer.ok
        ? withPage(tree, answer.value, { after, since })
        : withFailure(tree, parent, { failed: answer.failure.message, since }),
    );
  };

  /** As many threads as are there, at once: whoever has scrolled down stays where that is. */
  const again = async (parent: string): Promise<void> => {
    const count = store.get().tree.levels.get(parent)?.ids.length ?? 0;
    await read({ parent, after: undefined, limit: Math.min(PAGE.most, Math.max(PAGE.first, count)) }, count);
  };

  return {
    async more(parent) {
      const level = store.get().tree.levels.get(parent);
      if (level && readingOf(level) === 'yes') return;
      const after = level?.next;
      await read({ parent, after, limit: after === undefined ? PAGE.first : PAGE.most });
    },
    expand(id, open) {
      change((tree) => withExpanded(tree, id, open));
      // Closed levels are not followed, so what was read may be old.
      if (open) void again(id); // A failure is shown in its level.
    },
    filter(statuses) {
      change((tree) => withFilter(tree, statuses));
      void again(topOf(store.get().tree)); // As above.
    },
    async refresh(levels = followedLevels(store.get().tree).followed) {
      await Promise.all(levels.map(again));
    },
  };
}

type LevelQuery = {
  readonly parent: string;
  readonly after: string | undefined;
  readonly limit: number;
  readonly status: string | undefined;
};

/** Pages as one: that which is asked for, and what follows until there are `least` threads or no more. */
async function readPages(api: ApiClient, query: LevelQuery, least: number): Promise<Answer<LevelAnswer>> {
  const threads: ThreadRow[] = [];
  for (let { after, limit } = query; ; limit = Math.min(PAGE.most, least - threads.length)) {
    const answer = await api.get<LevelAnswer>('threads', { query: { ...query, after, limit } });
    if (!answer.ok) return answer;
    threads.push(...answer.value.threads);
    after = answer.value.next;
    if (after === undefined || threads.length >= least) return { ok: true, value: { ...answer.value, threads } };
  }
}
