import type { Failure } from '../../core/errors.ts';

/**
 * Makes the function that says whether a worker's problem is new. Every worker reads the same tools: that those of a
 * space are not signed is said once.
 */
export function createUntoldProblems(): (failure: Failure) => boolean {
  const told = new Set<string>();
  return ({ code, where }) => {
    const setting = code === 'item_unsigned' ? where?.path : undefined;
    if (setting === undefined) return true;
    const isNew = !told.has(setting);
    told.add(setting);
    return isNew;
  };
}
