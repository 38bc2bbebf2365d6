import { z } from 'zod';
import { isEnded } from '../../core/ending.ts';
import { jsonOrUndefined } from '../../core/json-or-undefined.ts';
import { spellLimits, type Cost, type LimitOverrides } from '../../core/limits.ts';
import type { StoredCheckpoint } from '../../core/store.ts';
import { storedLimitsSchema } from '../../core/stored-limits.ts';
import { costOf, type RawThread } from '../rows.ts';
import type { Breach } from './log-rules.ts';
import type { LogState } from './log-state.ts';

/** What is counted of a thread. */
export const COUNTERS = ['turns', 'inputTokens', 'outputTokens', 'spend'] as const;

/** In what a folded log differs from the thread's registry row (E5). */
export function* differsFromRow(state: LogState, row: RawThread): Generator<Breach> {
  const said = (status: string, reason: string | null | undefined): string =>
    reason === null || reason === undefined ? status : `${status} (${reason})`;
  const told = said(state.status, state.suspendReason);
  const reported = said(row.status, row.suspend_reason);
  // One that was resumed waits for its turn as those do that were interrupted (ADR 58).
  const isInLine = state.isResumed && reported === 'suspended (shutdown)';
  if (told !== reported && !isInLine) yield differs('status', told, reported);
  yield* costDiffers(state.cost, costOf(row), 'the registry');
  if (row.ending !== null) yield* endingDiffers(state, row.ending);
}

/** In what it differs from the checkpoint, if that is of this very event (E5). */
export function* agreesWithCheckpoint(state: LogState, checkpoint: StoredCheckpoint | undefined): Generator<Breach> {
  if (checkpoint?.sequence !== state.sequence) return;
  const parsed = parse(checkpoint.state, checkpointSchema);
  if (!parsed) return yield { invariant: 'E5', sequence: state.sequence, message: 'its checkpoint is damaged' };
  for (const breach of costDiffers(state.cost, parsed, 'the checkpoint')) yield { ...breach, sequence: state.sequence };
  if (parsed.turns !== checkpoint.turn) {
    yield { ...differs('turn', String(parsed.turns), `${checkpoint.turn} (the checkpoint)`), sequence: state.sequence };
  }
  const { limits } = state;
  if (!limits || !state.limitsAreWhole) return;
  for (const [name, value] of Object.entries(spellLimits(parsed.limits))) {
    const told = limits[name as keyof LimitOverrides];
    if (told === value) continue;
    yield { ...differs(`limit of ${name}`, String(told), `${value} (the checkpoint)`), sequence: state.sequence };
  }
}

const costSchema = { turns: z.int(), inputTokens: z.int(), outputTokens: z.int(), spend: z.int() };
const checkpointSchema = z.object({ ...costSchema, limits: storedLimitsSchema });
const endingSchema = z.object({ status: z.string(), cost: z.object(costSchema) });

function* endingDiffers(state: LogState, ending: string): Generator<Breach> {
  const parsed = parse(ending, endingSchema);
  if (!parsed) return yield { invariant: 'E5', message: 'its stored ending is damaged' };
  if (isEnded(state.status) && parsed.status !== state.status) {
    yield differs('ending', state.status, parsed.status);
  }
  yield* costDiffers(state.cost, parsed.cost, 'its ending');
}

function* costDiffers(told: Cost, stored: Cost, where: string): Generator<Breach> {
  for (const key of COUNTERS) {
    if (told[key] !== stored[key]) yield differs(key, String(told[key]), `${stored[key]} (${where})`);
  }
}

function differs(what: string, told: string, stored: string): Breach {
  return { invariant: 'E5', message: `${what}: its log says ${told}, and stored is ${stored}` };
}

/** Undefined: damaged; whoever asks says so. */
function parse<Shape>(json: string, schema: z.ZodType<Shape>): Shape | undefined {
  return schema.safeParse(jsonOrUndefined(json)).data;
}
