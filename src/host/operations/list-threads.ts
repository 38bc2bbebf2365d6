import { OPERATION_BOUNDS } from '../../core/operation-bounds.ts';
import { inMemoryAs, listedThreads, rangesOf } from './listed-threads.ts';
import { notFound, onThread, type Operation } from './operation.ts';
import { summaryOf, type ThreadSummary } from './thread-summary.ts';

/** What is queued or runs; below the thread that asks, if one does. */
export const listActive: Operation<'list_active'> = async ({ caller, sources }) => {
  const active = [...(await sources.active(caller))];
  const ids = active.slice(0, OPERATION_BOUNDS.active).flatMap((one) => sources.reader.threadByNo(one)?.threadId ?? []);
  return { success: true, active_threads: ids, count: active.length };
};

/** Threads by their status, the newest first. */
export const listThreads: Operation<'list_threads'> = async ({ input, sources, find }) => {
  const { status, directive, limit, archived, after: afterId } = input;
  const after = afterId === undefined ? undefined : find(afterId);
  if (afterId !== undefined && !after) return notFound(afterId);
  const filter = {
    archived,
    ...(status && { status }),
    ...(directive !== undefined && { directive }),
    ...(after && { before: after.thread }),
  };
  // Once for all ranges: how each stands is looked at again.
  const live = status && inMemoryAs(status, sources);
  const found: ThreadSummary[] = [];
  for await (const range of rangesOf(filter, sources)) {
    const rows = listedThreads({ ...range, limit: limit + 1 - found.length }, sources, live);
    found.push(...rows.map((row) => summaryOf(row, sources)));
    if (found.length > limit) break;
  }
  const threads = found.slice(0, limit);
  const more = found.length > limit;
  const last = threads.at(-1);
  return { success: true, threads, more, ...(more && last && { next: last.thread_id }) };
};

/** Children of a thread, a page at a time. */
export const listChildren: Operation<'list_children'> = onThread((row, { input, sources, find }) => {
  const { limit, after: afterId } = input;
  const after = afterId === undefined ? undefined : find(afterId);
  // Whoever asks for what follows no child of it would read the first page for ever.
  if (afterId !== undefined && after?.parent !== row.thread) return notFound(afterId);
  // One more than is given: then there are more.
  const found = sources.reader.children(row.thread, { limit: limit + 1, ...(after && { after: after.thread }) });
  const page = found.slice(0, limit);
  const last = page.at(-1);
  return {
    success: true,
    thread_id: row.threadId,
    children: page.map((child) => summaryOf(child, sources)),
    ...(found.length > limit && last && { next: last.threadId }),
  };
});
