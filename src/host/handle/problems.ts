import type { Failure } from '../../core/errors.ts';
import type { Redactor } from '../../core/redactor.ts';

type Listener = (failure: Failure) => void;

/**
 * What ends no thread, on its way to whoever listens. What comes before anybody does, as while the runtime starts, is kept for
 * the first who does.
 */
export interface Problems {
  tell(failure: Failure): void;
  /** Listens; returns the way to stop. What was kept is told once whoever has just begun to listen has done what it is at. */
  listen(listener: Listener): () => void;
}

/** Most problems that are kept while nobody listens: those that came first. */
export const MOST_KEPT = 100;

/** Makes the way of problems; secrets are taken out of them. */
export function createProblems(redactor: Pick<Redactor, 'data'>): Problems {
  let listeners: readonly Listener[] = [];
  let kept: Failure[] | undefined = [];
  const pass = (failure: Failure): void => {
    for (const listener of listeners) listener(failure);
  };
  const passKept = (): void => {
    // Whoever began to listen may have left again.
    if (!kept || listeners.length === 0) return;
    const first = kept;
    kept = undefined;
    for (const failure of first) pass(failure);
  };
  return {
    tell(failure) {
      const clean = redactor.data(failure);
      if (!kept) pass(clean);
      else if (kept.length < MOST_KEPT) kept.push(clean);
    },
    listen(listener) {
      listeners = [...listeners, listener];
      if (kept) queueMicrotask(passKept);
      return () => {
        listeners = listeners.filter((one) => one !== listener);
      };
    },
  };
}
