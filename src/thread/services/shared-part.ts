import { isDeepStrictEqual } from 'node:util';

/** A part of a worker's services that versions of the config share while what it is made from stays the same. */
export type SharedPart<Value> = {
  readonly value: Value;
  /** What it was made from. */
  readonly key: unknown;
  /** One version less has it; the last one closes it. */
  readonly letGo: () => void;
  /** One version more has it. */
  readonly hold: () => void;
};

/** The part of the version before if its key is the same, else a new one. */
export function sharePart<Value>(
  before: SharedPart<Value> | undefined,
  key: unknown,
  make: () => { readonly value: Value; readonly close: () => void },
): SharedPart<Value> {
  if (before === undefined || !isDeepStrictEqual(before.key, key)) return newPart(key, make());
  before.hold();
  return before;
}

function newPart<Value>(
  key: unknown,
  { value, close }: { readonly value: Value; readonly close: () => void },
): SharedPart<Value> {
  let holders = 1;
  return {
    value,
    key,
    hold: () => void holders++,
    letGo: () => {
      if (--holders === 0) close();
    },
  };
}
