import type { Config } from '../../config/config.ts';
import { isEnded, type ThreadStatus } from '../../core/ending.ts';
import type { WaitedThread } from '../../core/protocol.ts';
import { attempt } from '../../core/result.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { NO_NEWS } from '../handle/news.ts';
import { createRecall, notThere } from '../rest/recall.ts';
import type { Standing, ThreadSources } from './operation.ts';
import { successorsOf } from './stored-threads.ts';

/** What a stored database is read with. */
export type RestingSources = {
  readonly reader: StoreReader;
  readonly config: Config;
  /** Whether a runtime runs them now: then they are as their rows say. It may come and go; it is asked once for each run of microtasks. */
  readonly isRun: () => boolean;
};

/** The threads of a database that is only read: nothing changes by it, so there is nothing to wait for. */
export function restingThreads({ reader, config, isRun: askIsRun }: RestingSources): ThreadSources {
  const isRun = askedOnce(askIsRun);
  const standing = ({ status, suspendReason, cost }: ThreadRow): Standing => {
    if (isEnded(status) || isRun()) return { status, suspendReason, cost };
    // What a runtime left that is gone; the next one writes that down.
    return { status: 'suspended', suspendReason: suspendReason ?? 'shutdown', cost };
  };
  const recall = createRecall(reader);
  const waited = (id: string): WaitedThread => {
    const asked = reader.thread(id);
    if (!asked) return notThere(id);
    const last = successorsOf(reader, asked).at(-1);
    const row = last ?? asked;
    const found = recall(row.threadId);
    return {
      ...found,
      threadId: asked.threadId,
      status: found.status === 'suspended' && standing(row).status !== 'suspended' ? 'running' : found.status,
      ...(last && { continuedAs: last.threadId }),
    };
  };
  return {
    reader,
    config,
    standing,
    storedAs: (status) => (isRun() ? status : status.flatMap(restingAs)),
    inMemory: () => [],
    async active() {
      const limit = Number.MAX_SAFE_INTEGER;
      return isRun() ? reader.threads({ status: ['created', 'running'], limit }).map(({ thread }) => thread) : [];
    },
    wait(order) {
      order.done(attempt(() => order.threadIds.map((id) => (order.isVisible(id) ? waited(id) : notThere(id)))));
      return { giveUp: () => undefined };
    },
    news: () => NO_NEWS,
    view: async () => ({ running: 0, queued: 0, workers: [] }),
    runtime: undefined,
  };
}

/** Rows that are read in one go stand alike: the answer holds until whoever reads them lets others have their turn. */
function askedOnce(ask: () => boolean): () => boolean {
  let known: boolean | undefined;
  return () => {
    if (known === undefined) {
      known = ask();
      queueMicrotask(() => (known = undefined));
    }
    return known;
  };
}

/** What was left by a runtime that is gone counts as suspended. */
function restingAs(status: ThreadStatus): readonly ThreadStatus[] {
  if (isEnded(status)) return [status];
  return status === 'suspended' ? ['suspended', 'created', 'running'] : [];
}
