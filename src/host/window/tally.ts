import type { ThreadStatus } from '../../core/ending.ts';
import { nanoToUsd } from '../../core/money.ts';
import type { ThreadSources } from '../operations/operation.ts';
import { createPauses } from '../operations/pauses.ts';
import type { CountedThread, StoreWindow } from '../../store/window.ts';

/** What threads come to. */
export type Tally = {
  readonly counts: Readonly<Partial<Record<ThreadStatus, number>>>;
  readonly threads: number;
  readonly turns: number;
  /** USD, with all that is below. */
  readonly spend: number;
};

/** Rows of one slice. */
const SLICE = 2_000;

/** Counts threads, slice by slice: others have their turn between them. */
export async function takeTally(
  of: CountedThread,
  { window, threads }: { readonly window: StoreWindow; readonly threads: Pick<ThreadSources, 'storedAs'> },
): Promise<Tally> {
  const pause = createPauses();
  const shownAs = statusNames(threads);
  const counts: Partial<Record<ThreadStatus, number>> = {};
  const sum = { threads: 0, turns: 0, spend: 0 };
  let after = 0;
  for (let size = SLICE; size === SLICE;) {
    size = 0;
    let last = after;
    for (const group of window.count(of, after, SLICE)) {
      const status = shownAs.get(group.status) ?? group.status;
      counts[status] = (counts[status] ?? 0) + group.threads;
      sum.turns += group.turns;
      sum.spend += group.spend;
      size += group.threads;
      last = Math.max(last, group.last);
    }
    sum.threads += size;
    after = last;
    await pause();
  }
  return { counts, ...sum, spend: nanoToUsd(sum.spend) };
}

/** What a row's status is shown as: without a runtime, what one has left counts as suspended. */
function statusNames(threads: Pick<ThreadSources, 'storedAs'>): ReadonlyMap<ThreadStatus, ThreadStatus> {
  const shown: readonly ThreadStatus[] = ['created', 'running', 'suspended'];
  return new Map(shown.flatMap((status) => threads.storedAs([status]).map((stored) => [stored, status] as const)));
}
