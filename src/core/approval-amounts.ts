import type { ApprovalRequest } from './store-approvals.ts';

/** An amount of a request as it is stored: whole, no less than it is. */
export function wholeAmount(amount: number): number {
  return Math.ceil(amount);
}

/**
 * What a request says is used up, in the limit's own unit, as it is stored: a grant of no more would have its thread stop at the
 * same limit at once.
 */
export function usedUp({
  currentValue = 0,
  currentMax = 0,
}: Pick<ApprovalRequest, 'currentValue' | 'currentMax'>): number {
  return wholeAmount(Math.max(currentValue, currentMax));
}
