import { z } from 'zod';
import type { EarlyEnd } from '../../../machines/thread.machine.ts';
import type { Limits } from '../../core/limits.ts';
import { parseStored } from '../../core/parse-stored.ts';
import { storedLimitsSchema } from '../../core/stored-limits.ts';
import type { ChildNews } from '../hooks/child-hooks.ts';
import { sessionState } from '../tiers/assembly-session.ts';
import type { Thread } from '../thread.ts';

/** Of a call its id and that of the tool that ran, which may be gone by the time it is asked for; older ones have the call's id alone. */
const unheardCallSchema = z.union([
  z.object({ id: z.string(), tool: z.string().optional() }),
  z.string().transform((id) => ({ id, tool: undefined })),
]);

/** A call whose `after_tool` hooks have not decided. */
export type UnheardCall = z.infer<typeof unheardCallSchema>;

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
  /** Turn of the outputs; absent in those of older releases. */
  returnedAt: z.int().optional(),
  firstTurn: z.int().optional(),
  steppedAt: z.int().optional(),
  limits: storedLimitsSchema,
  /** Milliseconds the thread has been running, suspensions left out. */
  ranMs: z.number(),
  inbox: z.array(z.string()),
  /** How it ends once its children have ended. */
  heldEnd: z.custom<EarlyEnd>(isEarlyEnd).optional(),
  /** What `directive_return` delivered before the thread stopped. */
  outputs: z.record(z.string(), z.unknown()).optional(),
  /** What its hooks have not heard of its children. */
  childNews: z.array(z.custom<ChildNews>(isChildNews)).optional(),
  /** Calls of the last answer whose `after_tool` hooks have not decided. */
  unheardCalls: z.array(unheardCallSchema).optional(),
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

/** A child's id has been one when it was written. */
function isChildNews(value: unknown): boolean {
  const childId = z.string();
  const written = z.union([
    z.object({ childId, directive: z.string(), hookDepth: z.int().optional() }),
    z.object({ childId, status: z.string(), cost: z.record(z.string(), z.number()) }),
  ]);
  return written.safeParse(value).success;
}

/** A parsed checkpoint. */
export type Checkpoint = z.infer<typeof checkpointSchema>;

/** Encodes a thread's checkpoint as JSON. Written out, since each turn has one and nearly all of it are numbers. */
export function checkpointState(thread: Thread, now: number): string {
  const { cacheReadTokens, cacheWriteTokens, returnedAt, firstTurn, inbox, heldEnd, outputs, assembly } = thread;
  let json = `{"v":1,"turns":${thread.turns},"inputTokens":${thread.inputTokens},"outputTokens":${thread.outputTokens}`;
  json += `,"spend":${thread.spend}`;
  if (cacheReadTokens) json += `,"cacheReadTokens":${cacheReadTokens}`;
  if (cacheWriteTokens) json += `,"cacheWriteTokens":${cacheWriteTokens}`;
  json += `,"spawned":${thread.spawned},"contextTokens":${thread.contextTokens},"reminded":${thread.reminded}`;
  if (thread.compacted) json += ',"compacted":true';
  if (thread.returnHeard) json += ',"returnHeard":true';
  if (returnedAt) json += `,"returnedAt":${returnedAt}`;
  if (firstTurn) json += `,"firstTurn":${firstTurn}`;
  if (thread.steppedAt < thread.turns) json += `,"steppedAt":${thread.steppedAt}`;
  // The clock may have been moved back.
  json += `,"limits":${limitsJson(thread.limits)},"ranMs":${Math.max(0, now - thread.startedAt)}`;
  json += inbox.length === 0 ? ',"inbox":[]' : `,"inbox":${JSON.stringify(inbox)}`;
  if (heldEnd) json += `,"heldEnd":${JSON.stringify(heldEnd)}`;
  if (outputs) json += `,"outputs":${JSON.stringify(outputs)}`;
  if (thread.childNews?.size) json += `,"childNews":${JSON.stringify([...thread.childNews])}`;
  if (thread.unheardCalls?.size) json += `,"unheardCalls":${JSON.stringify(unheardIn(thread.unheardCalls))}`;
  if (assembly) json += `,"assembly":${JSON.stringify(sessionState(assembly))}`;
  return `${json}}`;
}

function unheardIn(calls: NonNullable<Thread['unheardCalls']>): UnheardCall[] {
  return [...calls].map(([id, { tool }]) => ({ id, tool }));
}

function limitsJson({ turns, tokens, spend, spawns, depth, durationSeconds }: Limits): string {
  return `{"turns":${turns},"tokens":${tokens},"spend":${spend},"spawns":${spawns},"depth":${depth},"durationSeconds":${durationSeconds}}`;
}

/** Reads a checkpoint; one that does not fit is a damaged store, not an empty thread. */
export function parseCheckpoint(state: string): Checkpoint {
  return parseStored(state, checkpointSchema, 'checkpoint');
}
