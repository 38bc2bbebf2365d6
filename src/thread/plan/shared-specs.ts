import { deepFreeze } from '../../config/freeze.ts';
import { readShared, splitSpec, writeShared, type SharedSpec, type SplitSpec } from '../../core/packed-spec.ts';
import type { SharedFields, ThreadSpec } from '../../core/protocol.ts';

/**
 * The shared parts of a worker's specs: threads of which the text is the same have the same object, and by it their plan.
 *
 * Owns: the parts that were read last, by their text. A text is all that its part says: none of them can be out of date.
 */
export interface SharedSpecs {
  /** The part of this text, which `writeShared` has written. */
  read(text: string): SharedSpec;
  of(fields: SharedFields): SharedSpec;
  /** Splits a spec; its shared part is the one of the others. */
  split(spec: ThreadSpec): SplitSpec;
}

/** How many parts are kept; the oldest goes first. */
const MAX_PARTS = 500;

/** Makes those of a worker. */
export function createSharedSpecs(max = MAX_PARTS): SharedSpecs {
  const parts = new Map<string, SharedSpec>();
  const read = (text: string): SharedSpec => {
    const known = parts.get(text);
    if (known) return known;
    const part = deepFreeze(readShared(text));
    parts.set(text, part);
    if (parts.size > max) parts.delete(parts.keys().next().value ?? text);
    return part;
  };
  return {
    read,
    of: (fields) => read(writeShared(fields)),
    split: (spec) => splitSpec(spec, read),
  };
}
