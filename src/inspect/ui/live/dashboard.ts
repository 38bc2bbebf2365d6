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
  /** Follows this thread as well, or none. */
  show(id: string | undefined): void;
  tell(notice: PageState['notice']): void;
  close(): void;
};

/** What a dashboard needs of the browser. */
export type DashboardOptions = {
  readonly api: ApiClient;
  readonly store: Store<PageState>;
  readonly wait: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly now: () => number;
};

/** Starts to follow a project; the store tells what is known of it. */
export function createDashboard({ api, store, wait, now }: DashboardOptions): Dashboard {
  const tree = createTreeReader(api, store);
  const transcript = createTranscriptReader(api, store);
  let open: string | undefined;

  const readProject = async (): Promise<void> => {
    const answer = await api.get<ProjectAnswer>('project');
    store.set((state) => (answer.ok ? { ...state, project: answer.value } : state));
  };
  const readAll = (): void => {
    // Failures are shown where the answers would be.
    void Promise.all([readProject(), tree.refresh(), transcript.open(open), transcript.catchUp()]);
    store.set((state) => ({ ...state, threadVersion: state.threadVersion + 1, version: state.version + 1 }));
  };

  const live = createLiveConnection({
    connect({ levels, thread, from }, signal) {
      const { transcript: log } = store.get();
      const after = log && log.id === thread && log.last > 0 ? log.last : undefined;
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

  const follow = (): void => live.follow({ levels: followedLevels(store.get().tree).followed, thread: open });
  // Asking again for what is followed already changes nothing.
  const unlisten = store.listen(follow);
  follow();

  return {
    api,
    store,
    tree,
    transcript,
    show(id) {
      if (id === open) return;
      open = id;
      void transcript.open(id).then(follow);
    },
    tell: (notice) => store.set((state) => ({ ...state, notice })),
    close() {
      unlisten();
      live.close();
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
