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

/** The {@link Result} that the work gives back, or what it has thrown. */
export function attemptResult<T>(work: () => Result<T>, code?: SkeinErrorCode): Result<T> {
  const done = attempt(work, code);
  return done.ok ? done.value : done;
}

/** What the work gives in the end, or what it has thrown by then; never rejects. */
export async function attemptLater<T>(work: () => Promise<T>, code?: SkeinErrorCode): Promise<Result<T>> {
  try {
    return ok(await work());
  } catch (thrown) {
    return failed(toFailure(thrown, code));
  }
}
