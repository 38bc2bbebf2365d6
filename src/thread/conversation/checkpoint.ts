import { z } from 'zod';
import type { EarlyEnd } from '../../../machines/thread.machine.ts';
import { storedLimitsSchema } from '../../core/stored-limits.ts';
import { sessionState } from '../tiers/assembly-session.ts';
import { costOf } from '../cost.ts';
import { parseStored } from './parse-stored.ts';
import type { Thread } from '../thread.ts';

/**
 * What a checkpoint holds beside the log: counters and limits. Messages are not in it: they are the log's own events,
 * so a checkpoint costs the same at turn 1,000 as at turn 1.
 */
const checkpointSchema = z.object({
  v: z.literal(1),
  turns: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  cacheReadTokens: z.int().optional(),
  cacheWriteTokens: z.int().optional(),
  spend: z.int(),
  spawned: z.int(),
  contextTokens: z.int(),
  reminded: z.boolean(),
  compacted: z.boolean().optional(),
  returnHeard: z.boolean().optional(),
  firstTurn: z.int().optional(),
  limits: storedLimitsSchema,
  /** Milliseconds the thread has been running, suspensions left out. */
  ranMs: z.number(),
  inbox: z.array(z.string()),
  /** How it ends once its children have ended. */
  heldEnd: z.custom<EarlyEnd>(isEarlyEnd).optional(),
  /** What `directive_return` delivered before the thread stopped. */
  outputs: z.record(z.string(), z.unknown()).optional(),
  /** Where things stand in a prompt in tiers; read by its session. */
  assembly: z.unknown().optional(),
});

/** What a failure's code may be is known to the compiler alone: it is as this runtime wrote it. */
function isEarlyEnd(value: unknown): boolean {
  const written = z.union([
    z.object({ type: z.literal('FAIL'), failure: z.looseObject({ code: z.string(), message: z.string() }) }),
    z.object({ type: z.literal('CANCEL'), reason: z.string() }),
  ]);
  return written.safeParse(value).success;
}

/** A parsed checkpoint. */
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** Encodes a thread's checkpoint as JSON; what is undefined is left out by that. */
export function checkpointState(thread: Thread, now: number): string {
  const checkpoint: Checkpoint = {
    v: 1,
    ...costOf(thread),
    spawned: thread.spawned,
    contextTokens: thread.contextTokens,
    reminded: thread.reminded,
    compacted: thread.compacted || undefined,
    returnHeard: thread.returnHeard || undefined,
    firstTurn: thread.firstTurn || undefined,
    limits: thread.limits,
    // The clock may have been moved back.
    ranMs: Math.max(0, now - thread.startedAt),
    inbox: thread.inbox,
    heldEnd: thread.heldEnd,
    outputs: thread.outputs,
    assembly: thread.assembly && sessionState(thread.assembly),
  };
  return JSON.stringify(checkpoint);
}

/** Reads a checkpoint; one that does not fit is a damaged store, not an empty thread. */
export function parseCheckpoint(state: string): Checkpoint {
  return parseStored(state, checkpointSchema, 'checkpoint');
}
