import type { Failure } from './errors.ts';

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
