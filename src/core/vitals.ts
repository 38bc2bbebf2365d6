/**
 * Signs of life of a worker, in memory that it shares with the host: still there when the worker is not.
 *
 * One counts on for as long as its event loop turns; the other is the number of the thread it has turned to last, cut to 32
 * bits, 0 for none. Nothing takes it back: what a worker does between two steps of threads was begun by one of them.
 */
export type Vitals = Int32Array<SharedArrayBuffer>;

/** Where the beats are counted. */
export const BEAT = 0;
/** Where the thread stands. */
export const THREAD = 1;

/** How often a worker's loop says that it turns, milliseconds. */
export const BEAT_MS = 250;

/** Vitals of a worker that is not up yet. */
export function createVitals(): Vitals {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT));
}
