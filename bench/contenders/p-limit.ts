/*
 * p-limit as its readme shows it: one limit for all, around each call that is to be limited, and `Promise.all` around
 * everything. Here the calls of the model are limited, as by somebody who shares a provider's quota: all threads live at
 * once, and at most 1,000 calls run at a time. The loop between them is that of `plain`.
 *
 * Why this is fair: it is the smallest thing that people write for this work. It has no more than the limit: no budget
 * between threads, no log, nothing durable. With a model of 100 ms the limit makes the run longer; what is
 * compared is CPU.
 */
import pLimit from 'p-limit';
import type { Library } from './contender.ts';
import { plainThreads } from './plain.ts';

/** Calls of the model at a time. */
const CALLS_AT_ONCE = 1_000;

/** Makes the contender. */
export function createPLimit(): Library {
  const limit = pLimit(CALLS_AT_ONCE);
  return { threadsOf: (work) => plainThreads(work, (signal) => limit(work.callModel, signal)) };
}
