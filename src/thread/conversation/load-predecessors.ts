import type { ForkOrigin } from '../../core/protocol.ts';
import type { StoredThread, StoreResult } from '../../core/store.ts';
import type { Services } from '../services/services.ts';

/** What reading predecessors works with. */
export type LoadingPredecessors = {
  readonly services: Pick<Services, 'store'>;
  /** It has or had children: those of the threads that handed over to it are its own. */
  readonly hasChildren: boolean;
};

/**
 * Reads what a successor needs of those before it, the last one first: as a whole up to the one that has begun, if it has not
 * itself; and for its children's sake, of every other one that handed over, only what is about children. Most threads have none,
 * and read nothing.
 */
export function loadPredecessors(
  stored: StoredThread,
  { services, hasChildren }: LoadingPredecessors,
  done: (loaded: readonly StoreResult[]) => void,
): void {
  const found: StoreResult[] = [];
  let isBegun = hasBegun(stored);
  const next = (thread: number | undefined): void => {
    if (thread === undefined) return done(found);
    const withChildren = hasChildren && isBegun ? 'only' : hasChildren;
    services.store.submit({ type: 'load', thread, withChildren }, (result) => {
      found.push(result);
      const thread = result !== true && result.type === 'loaded' ? result.thread : undefined;
      if (!thread) return done(found);
      isBegun ||= hasBegun(thread);
      const hasHandedOver = hasChildren && thread.row.status === 'continued';
      next(hasHandedOver || !isBegun ? thread.row.predecessor : undefined);
    });
  };
  next(hasChildren || !isBegun ? stored.row.predecessor : undefined);
}

/**
 * Reads the thread that a fork goes on from, as far as it had come by then, if neither the fork nor a thread that took over from
 * it has begun. Nothing for any other thread.
 */
export function loadOrigin(
  line: readonly StoredThread[],
  { services, origin }: Pick<LoadingPredecessors, 'services'> & { readonly origin: ForkOrigin | undefined },
  done: (origin: StoreResult | undefined) => void,
): void {
  if (!origin || line.some(hasBegun)) return done(undefined);
  services.store.submit({ type: 'load', thread: origin.thread }, done);
}

/** Its first messages and what it goes on with are written in one step. Quotes within texts are escaped. */
export function hasBegun({ lines }: StoredThread): boolean {
  return lines.includes('"event_type":"cognition_in"');
}
