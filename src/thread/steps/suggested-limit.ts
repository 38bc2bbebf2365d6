import { raisedLimits } from '../../config/raised-limits.ts';
import { usedUp, wholeAmount } from '../../core/approval-amounts.ts';
import type { LimitCode, LimitHit, Limits } from '../../core/limits.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { StoredThread } from '../../core/store.ts';
import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';

/**
 * What a person is asked to raise a limit to, in the limit's own unit and whole: twice as much, or where that is used up what is
 * used and as much again, or what is used and asked for if that is more; for a child no more than its parent has of it, and of
 * money than that could give at this moment. `done` gets undefined if nothing that could be granted would be enough.
 */
export function suggestLimit(
  { thread, services }: Asking,
  hit: LimitHit,
  done: (suggested: number | undefined) => void,
): void {
  const { current, max, asked = 0 } = hit;
  const { parent } = thread.lineage;
  const used = usedUp({ currentValue: current, currentMax: max });
  const twice = wholeAmount(2 * max);
  const more = twice > used ? twice : used + wholeAmount(max);
  const wanted = Math.max(more, wholeAmount(current + asked), used + 1);
  if (parent === undefined) return done(wanted);
  mostFor(hit, { parent, services }, (most) => {
    const suggested = Math.min(wanted, Math.floor(most));
    done(suggested > used ? suggested : undefined);
  });
}

type Asking = { readonly thread: Pick<Thread, 'lineage'>; readonly services: Pick<Services, 'store'> };
type Above = Pick<Asking, 'services'> & { readonly parent: ThreadNo };

/** What a parent, or who took over from it, has; 0 if that can't be read. */
function mostFor(hit: LimitHit, { parent, services }: Above, done: (most: number) => void): void {
  services.store.submit({ type: 'load', thread: parent, onlyRaises: true }, (result) => {
    const stored = result !== true && result.type === 'loaded' ? result.thread : undefined;
    if (!stored) return done(0);
    const { status, successor } = stored.row;
    if (status === 'continued' && successor !== undefined) return mostFor(hit, { parent: successor, services }, done);
    if (hit.code !== 'spend_exceeded') return done(ofLimits(hit.code, stored));
    services.store.submit({ type: 'remaining', thread: parent }, (left) =>
      done(Math.max(hit.current, hit.max) + (left !== true && left.type === 'remaining' ? left.remaining : 0)),
    );
  });
}

const FIELD_OF: Readonly<Partial<Record<LimitCode, keyof Limits>>> = {
  turns_exceeded: 'turns',
  tokens_exceeded: 'tokens',
  duration_seconds_exceeded: 'durationSeconds',
};

/** Spawns and depth are never asked for: a spawn at their limit is an error to the model. */
function ofLimits(code: LimitCode, { checkpoint, spec, lines }: StoredThread): number {
  const field = FIELD_OF[code];
  if (field === undefined) return 0;
  try {
    return raisedLimits(checkpoint?.state ?? spec, [lines])[field];
  } catch {
    // Damaged: as if it had none.
    return 0;
  }
}
