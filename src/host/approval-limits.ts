import { z } from 'zod';
import { toFailure, type Failure } from '../core/errors.ts';
import type { ThreadNo } from '../core/ids.ts';
import { spellLimits, type LimitCode, type LimitOverrides } from '../core/limits.ts';
import { nanoToUsd } from '../core/money.ts';
import type { StoredThread, StoreResult, ThreadRow } from '../core/store.ts';
import type { ApprovalRow } from '../core/store-approvals.ts';
import { storedLimitsSchema } from '../core/stored-limits.ts';
import type { HostContext } from './host-context.ts';
import type { ResumeOrder } from './resume.ts';

/** Limits that one thread can have more of than another. */
const FIELDS = ['turns', 'tokens', 'spend', 'spawns', 'depth', 'duration_seconds'] as const;
type Field = (typeof FIELDS)[number];
type Known = Readonly<Record<Field, number>>;

/** The limit that a code is about. */
const FIELD_OF: Readonly<Record<LimitCode, Field>> = {
  turns_exceeded: 'turns',
  tokens_exceeded: 'tokens',
  spend_exceeded: 'spend',
  spawns_exceeded: 'spawns',
  depth_exceeded: 'depth',
  duration_seconds_exceeded: 'duration_seconds',
};

/**
 * Whether a thread may go on with new limits: a grant raises what was asked for and lowers nothing; and a child never has
 * more than its parent (contracts, "Limit resolution"), whose ledger node says so of the money. `done` gets why not.
 */
export function checkNewLimits(
  host: HostContext,
  { entry, limits, answer }: ResumeOrder,
  done: (failure: Failure | undefined) => void,
): void {
  const { thread } = entry.lineage;
  // A parent that has handed over: its successor.
  const { thread: parent, threadId: parentId } = host.table.parentOf(entry)?.lineage ?? above(entry);
  const isGrant = answer?.granted && answer.by !== PLAIN;
  const asked = isGrant ? host.reader.approval(answer.approvalId) : undefined;
  const tooLittle = asked && refuseUseless(asked, limits ?? {});
  if (tooLittle) return done(tooLittle);
  if (!limits) return done(undefined);
  const checkParent = (): void => {
    if (parent === undefined) return done(undefined);
    limitsOf(host, parent, (known) => done('code' in known ? known : overParent(limits, known, parentId ?? '')));
  };
  if (!asked) return checkParent();
  limitsOf(host, thread, (known) => {
    const lowered = 'code' in known ? known : lowers(limits, known);
    if (lowered) done(lowered);
    else checkParent();
  });
}

/** Its parent, if the table has forgotten that. */
function above({ lineage }: ResumeOrder['entry']): Partial<Pick<ThreadRow, 'thread' | 'threadId'>> {
  const { parent, parentId } = lineage;
  return { ...(parent !== undefined && { thread: parent }), ...(parentId !== undefined && { threadId: parentId }) };
}

/** Who resumes a thread says what it goes on with, and no more than that. */
export const PLAIN = 'resume';

/** A grant that would have the thread stop at the same limit at once. */
function refuseUseless(
  { limitCode, currentValue, currentMax, suggested }: ApprovalRow,
  limits: LimitOverrides,
): Failure | undefined {
  const field = isLimitCode(limitCode) ? FIELD_OF[limitCode] : undefined;
  if (!field) return undefined;
  const shown = (amount = 0): number => (field === 'spend' ? nanoToUsd(amount) : amount);
  const least = shown(Math.max(currentValue ?? 0, currentMax ?? 0));
  const given = limits[field];
  if (given !== undefined && given > least) return undefined;
  const hint = suggested === undefined ? '' : ` (${shown(suggested)} is suggested)`;
  const what = given === undefined ? 'and is given none' : `not ${given}`;
  return invalid(`${limitCode ?? ''}: the thread needs a ${field} of more than ${least}${hint}, ${what}`);
}

function isLimitCode(code: string | undefined): code is LimitCode {
  return code !== undefined && Object.hasOwn(FIELD_OF, code);
}

function lowers(limits: LimitOverrides, known: Known): Failure | undefined {
  const field = FIELDS.find((each) => (limits[each] ?? Number.POSITIVE_INFINITY) < known[each]);
  if (!field) return undefined;
  return invalid(
    `A grant lowers no limit: the thread has a ${field} of ${known[field]}, and would have ${limits[field]}`,
  );
}

function overParent(limits: LimitOverrides, known: Known, parentId: string): Failure | undefined {
  // Of money the parent's ledger node says what it can give; of depth a child has one level less.
  const mostOf = (each: Field): number =>
    each === 'spend' ? Number.POSITIVE_INFINITY : each === 'depth' ? known.depth - 1 : known[each];
  const field = FIELDS.find((each) => (limits[each] ?? 0) > mostOf(each));
  if (!field) return undefined;
  const most = mostOf(field);
  return invalid(
    `A child never has more than its parent: ${parentId} has a ${field} of ${known[field]}, so that at most ${most} can be given`,
  );
}

const withLimits = z.object({ limits: storedLimitsSchema });
const grantedSchema = z
  .object({
    turns: z.number(),
    tokens: z.number(),
    spend: z.number(),
    spawns: z.number(),
    depth: z.number(),
    duration_seconds: z.number(),
  })
  .partial();

/** The limits a thread has: those of its checkpoint, or what it was started with, and what it was granted since. */
function limitsOf(host: HostContext, thread: ThreadNo, done: (known: Known | Failure) => void): void {
  host.store.submit({ type: 'load', thread, withoutLog: true }, (result: StoreResult) => {
    if (result === true || result.type !== 'loaded') {
      return done(
        result !== true && result.type === 'failed' ? result.failure : invalid(`Thread ${thread} can't be read`),
      );
    }
    try {
      done(withGrants(readLimits(result.thread), host.reader.approvals({ thread, status: 'granted' })));
    } catch (thrown) {
      done(toFailure(thrown, 'store_corrupt'));
    }
  });
}

function readLimits({ checkpoint, spec }: StoredThread): Known {
  return spellLimits(withLimits.parse(JSON.parse(checkpoint?.state ?? spec)).limits);
}

/** Grants only raise; one that the thread has not gone on with yet is not in its checkpoint. */
function withGrants(known: Known, approvals: readonly ApprovalRow[]): Known {
  return approvals.reduce<Known>((limits, { granted }) => {
    const more = grantedSchema.safeParse(JSON.parse(granted ?? '{}')).data ?? {};
    return Object.fromEntries(FIELDS.map((each) => [each, Math.max(limits[each], more[each] ?? 0)])) as Known;
  }, known);
}

function invalid(message: string): Failure {
  return { code: 'invalid_argument', message };
}
