import type { LiveBatch, LiveMessage, ProjectAnswer } from '../../api.ts';
import { withBatch } from '../model/tree-state.ts';
import type { ApiClient } from './api-client.ts';
import { createLiveConnection } from './live-connection.ts';
import type { PageState } from './page-state.ts';
import type { Store } from './store.ts';
import { createTranscriptReader, type TranscriptReader } from './transcript-reader.ts';
import { createTreeReader, followedLevels, type TreeReader } from './tree-reader.ts';

/** Everything behind the page: what it knows, and what it can ask for. */
export type Dashboard = {
  readonly api: ApiClient;
  readonly store: Store<PageState>;
  readonly tree: TreeReader;
  readonly transcript: TranscriptReader;
  /** Follows this thread as well, or none, whose log is read around an event, or at its end. */
  show(id: string | undefined, at?: number): void;
  tell(notice: PageState['notice']): void;
  close(): void;
};

/** What a dashboard needs of the browser. */
export type DashboardOptions = {
  readonly api: ApiClient;
  readonly store: Store<PageState>;
  /**
   * The page's document, which tells `visibilitychange`. Hidden it follows nothing: a browser opens six connections to a server
   * for all of its tabs, and what is done in the one that is seen needs one.
   */
  readonly page: EventTarget & { readonly hidden: boolean };
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
};

/** Starts to follow a project; the store tells what is known of it. */
export function createDashboard({ api, store, page, wait, now }: DashboardOptions): Dashboard {
  const tree = createTreeReader(api, store);
  const transcript = createTranscriptReader(api, store);
  let open: { readonly id: string | undefined; readonly at?: number | undefined } = { id: undefined };

  const readProject = async (): Promise<void> => {
    const answer = await api.get<ProjectAnswer>('project');
    store.set((state) => (answer.ok ? { ...state, project: answer.value } : state));
  };
  const readAll = (): void => {
    // Failures are shown where the answers would be.
    void Promise.all([readProject(), tree.refresh(), transcript.open(open.id, open.at), transcript.catchUp()]);
    store.set((state) => ({ ...state, threadVersion: state.threadVersion + 1, version: state.version + 1 }));
  };

  const live = createLiveConnection({
    connect({ levels, thread, from }, signal) {
      const { transcript: log } = store.get();
      const after = log && log.id === thread && log.last > 0 && !log.more ? log.last : undefined;
      return api.stream('live', { level: levels, thread, after, from }, signal);
    },
    heard: (message, missed) => {
      hear(message, store, transcript);
      if (missed) readAll();
    },
    // What has changed between their reading and now is nobody's news.
    begun: (levels) => void tree.refresh(levels), // A failure is shown in its level.
    changed: (connection) => store.set((state) => ({ ...state, connection })),
    wait,
    now,
  });

  const follow = (): void =>
    live.follow(page.hidden ? undefined : { levels: followedLevels(store.get().tree).followed, thread: open.id });
  // Asking again for what is followed already changes nothing.
  const unlisten = store.listen(follow);
  page.addEventListener('visibilitychange', follow);
  follow();

  return {
    api,
    store,
    tree,
    transcript,
    show(id, at) {
      if (id === open.id && at === open.at) return;
      open = { id, at };
      void transcript.open(id, at).then(follow);
    },
    tell: (notice) => store.set((state) => ({ ...state, notice })),
    close() {
      unlisten();
      page.removeEventListener('visibilitychange', follow);
      live.follow(undefined);
    },
  };
}

function hear(message: LiveMessage, store: Store<PageState>, transcript: TranscriptReader): void {
  switch (message.type) {
    case 'hello':
      return;
    case 'threads':
      return store.set((state) => withChanges(state, message));
    case 'log':
      transcript.heard(message.id, message.events);
      return store.set((state) => ({ ...state, threadVersion: state.threadVersion + 1 }));
    case 'words':
      return transcript.overheard(message.id, message);
    case 'dropped':
      return store.set((state) => ({ ...state, dropped: state.dropped + message.messages }));
  }
}

function withChanges(state: PageState, batch: LiveBatch): PageState {
  const { project, transcript } = state;
  const concerned = batch.changed.some(({ id }) => id === transcript?.id);
  return {
    ...state,
    tree: withBatch(state.tree, batch),
    version: state.version + 1,
    threadVersion: state.threadVersion + (concerned ? 1 : 0),
    project: project && {
      ...project,
      totals: batch.totals ?? project.totals,
      pending_approvals: batch.pending_approvals ?? project.pending_approvals,
    },
  };
}
