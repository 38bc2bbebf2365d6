/**
 * What the log of a thread says when its runtime or its worker is gone without having suspended it. Unlike after any other
 * suspension a model call may have been in flight: what that had reserved stays, since nobody knows what it has cost (ADR 40).
 */
export const INTERRUPTED = {
  runtime: 'the runtime that ran this thread ended without it',
  worker: 'the worker that ran this thread was lost',
} as const;
