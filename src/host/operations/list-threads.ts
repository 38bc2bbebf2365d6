import { OPERATION_BOUNDS } from '../../core/operation-bounds.ts';
import { listedThreads } from './listed-threads.ts';
import { notFound, onThread, type Operation } from './operation.ts';
import { childrenOf } from './stored-threads.ts';
import { summaryOf } from './thread-summary.ts';

/** What is queued or runs; below the thread that asks, if one does. */
export const listActive: Operation<'list_active'> = ({ caller, sources }) => {
  const active = [...sources.active(caller)];
  const ids = active.slice(0, OPERATION_BOUNDS.active).flatMap((one) => sources.reader.threadByNo(one)?.threadId ?? []);
  return { success: true, active_threads: ids, count: active.length };
};

/** Threads by their status, the newest first. */
export const listThreads: Operation<'list_threads'> = ({ input, sources, find }) => {
  const { status, directive, limit, archived, after: afterId } = input;
  const after = afterId === undefined ? undefined : find(afterId);
  if (afterId !== undefined && !after) return notFound(afterId);
  const rows = listedThreads(
    {
      limit: limit + 1,
      archived,
      ...(status && { status }),
      ...(directive !== undefined && { directive }),
      ...(after && { before: after.thread }),
    },
    sources,
  );
  const page = rows.slice(0, limit);
  const more = rows.length > limit;
  const last = page.at(-1);
  const threads = page.map((row) => summaryOf(row, sources));
  return { success: true, threads, more, ...(more && last && { next: last.threadId }) };
};

/** Children of a thread, a page at a time. */
export const listChildren: Operation<'list_children'> = onThread((row, { input, sources, find }) => {
  const { limit, after: afterId } = input;
  const after = afterId === undefined ? undefined : find(afterId);
  // Whoever asks for what follows no child of it would read the first page for ever.
  if (afterId !== undefined && after?.parent !== row.thread) return notFound(afterId);
  const found = childrenOf(sources.reader, row, { limit, after });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    success: true,
    thread_id: row.threadId,
    children: page.map((child) => summaryOf(child, sources)),
    ...(found.length > limit && last && { next: last.threadId }),
  };
});
