import { usedUp } from '../../core/approval-amounts.ts';
import { invalidArgument, toFailure, type Failure } from '../../core/errors.ts';
import { LIMIT_NAMES, spellLimits, type LimitName, type LimitOverrides } from '../../core/limits.ts';
import { nanoToUsd } from '../../core/money.ts';
import type { ThreadRow } from '../../core/store.ts';
import type { ApprovalRow } from '../../core/store-approvals.ts';
import type { HostContext } from '../host-context.ts';
import { limitsNow } from '../rest/limits-now.ts';
import type { ResumeOrder } from '../rest/resume.ts';

type Known = Readonly<Record<LimitName, number>>;

/**
 * Why a thread may not go on with new limits: a grant raises what was asked for and lowers nothing; and a child never has
 * more than its parent (contracts, "Limit resolution"), whose ledger node says so of the money.
 */
export function checkNewLimits(host: HostContext, { entry, limits, answer }: ResumeOrder): Failure | undefined {
  const { reader } = host;
  const isGrant = answer?.granted && !answer.isPlain;
  try {
    const asked = isGrant ? reader.approval(answer.approvalId) : undefined;
    const tooLittle = asked && refuseUseless(asked, limits ?? {});
    if (tooLittle || !limits) return tooLittle;
    const lowered = asked && lowers(limits, spellLimits(limitsNow(reader, entry.lineage.thread)));
    if (lowered) return lowered;
    // A parent that has handed over: its successor.
    const { thread: parent, threadId: parentId } = host.table.parentOf(entry)?.lineage ?? above(entry);
    if (parent === undefined) return undefined;
    return overParent(limits, spellLimits(limitsNow(reader, parent)), parentId ?? '');
  } catch (thrown) {
    return toFailure(thrown, 'store_corrupt');
  }
}

/** Its parent, if the table has forgotten that. */
function above({ lineage }: ResumeOrder['entry']): Partial<Pick<ThreadRow, 'thread' | 'threadId'>> {
  const { parent, parentId } = lineage;
  return { ...(parent !== undefined && { thread: parent }), ...(parentId !== undefined && { threadId: parentId }) };
}

/** A grant that would have the thread stop at the same limit at once. */
function refuseUseless(asked: ApprovalRow, limits: LimitOverrides): Failure | undefined {
  const { limitCode, suggested } = asked;
  const field = LIMIT_NAMES.find((each) => `${each}_exceeded` === limitCode);
  if (!field) return undefined;
  const shown = (amount: number): number => (field === 'spend' ? nanoToUsd(amount) : amount);
  const least = shown(usedUp(asked));
  const given = limits[field];
  if (given !== undefined && given > least) return undefined;
  const hint = suggested === undefined ? '' : ` (${shown(suggested)} is suggested)`;
  const what = given === undefined ? 'and is given none' : `not ${given}`;
  return invalidArgument(`${limitCode ?? ''}: the thread needs a ${field} of more than ${least}${hint}, ${what}`);
}

function lowers(limits: LimitOverrides, known: Known): Failure | undefined {
  const field = LIMIT_NAMES.find((each) => (limits[each] ?? Number.POSITIVE_INFINITY) < known[each]);
  if (!field) return undefined;
  return invalidArgument(
    `A grant lowers no limit: the thread has a ${field} of ${known[field]}, and would have ${limits[field]}`,
  );
}

function overParent(limits: LimitOverrides, known: Known, parentId: string): Failure | undefined {
  // Of money the parent's ledger node says what it can give; of depth a child has one level less.
  const mostOf = (each: LimitName): number =>
    each === 'spend' ? Number.POSITIVE_INFINITY : each === 'depth' ? known.depth - 1 : known[each];
  const field = LIMIT_NAMES.find((each) => (limits[each] ?? 0) > mostOf(each));
  if (!field) return undefined;
  const most = mostOf(field);
  return invalidArgument(
    `A child never has more than its parent: ${parentId} has a ${field} of ${known[field]}, so that at most ${most} can be given`,
  );
}
