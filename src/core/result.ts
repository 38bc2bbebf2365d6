import { toFailure, type Failure, type SkeinErrorCode } from './errors.ts';

/** The outcome of something that may fail in a way the caller must handle. */
export type Result<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: Failure };

/** A successful {@link Result}. */
export function ok<T>(value: T): Result<T> {
  return { ok: true, value };
}

/** A failed {@link Result}. */
export function failed(failure: Failure): Result<never> {
  return { ok: false, failure };
}

/** What the work gives back, or what it has thrown; `code` is that of what is none of Skein's own errors. */
export function attempt<T>(work: () => T, code?: SkeinErrorCode): Result<T> {
  try {
    return ok(work());
  } catch (thrown) {
    return failed(toFailure(thrown, code));
  }
}
