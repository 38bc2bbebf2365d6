import type { Config } from '../../config/config.ts';
import { isEnded } from '../../core/ending.ts';
import type { StoreReader, ThreadRow } from '../../core/store.ts';
import { createRecall } from '../recall.ts';
import type { Standing, ThreadSources } from './operation.ts';
import { successorsOf } from './stored-threads.ts';

/** What a stored database is read with. */
export type RestingSources = {
  readonly reader: StoreReader;
  readonly config: Config;
  /** A runtime that can't be spoken to runs them: then they are as their rows say. */
  readonly isRun: boolean;
};

/** The threads of a database that is only read: nothing changes, so there is nothing to wait for. */
export function restingThreads({ reader, config, isRun }: RestingSources): ThreadSources {
  const standing = ({ status, suspendReason, cost }: ThreadRow): Standing => {
    if (isEnded(status) || isRun) return { status, suspendReason, cost };
    // What a runtime left that is gone; the next one writes that down.
    return { status: 'suspended', suspendReason: suspendReason ?? 'shutdown', cost };
  };
  const recall = createRecall(reader);
  return {
    reader,
    config,
    standing,
    *active() {
      const limit = Number.MAX_SAFE_INTEGER;
      if (isRun) for (const { threadId } of reader.threads({ status: ['created', 'running'], limit })) yield threadId;
    },
    wait({ threadIds, done }) {
      done(
        threadIds.map((id) => {
          const asked = recall(id);
          const row = reader.thread(asked.threadId);
          const last = row && (successorsOf(reader, row).at(-1) ?? row);
          if (!last || last.threadId === asked.threadId) return asked;
          return { ...recall(last.threadId), threadId: asked.threadId, continuedAs: last.threadId };
        }),
      );
      return () => undefined;
    },
    runtime: undefined,
  };
}
