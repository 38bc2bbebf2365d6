import { deepFreeze } from '../../config/freeze.ts';
import { packSpec, writeShared } from '../../core/packed-spec.ts';
import type { PackedSpec, SharedSpec, SpecText, ThreadSpec } from '../../core/protocol.ts';

/**
 * Specs as text and back. What threads of a directive have in common of theirs is written once and read once: those that are
 * read share it.
 *
 * Owns: the shared parts that were read last, and the texts of shared parts for as long as these are there. A text is the whole
 * of what its part says, so that neither can be out of date.
 */
export interface SpecTexts {
  pack(spec: ThreadSpec): PackedSpec;
  read(text: SpecText): ThreadSpec;
  /** The shared part of a spec as JSON. */
  shared(spec: SharedSpec): string;
}

/** How many shared parts are kept. */
const MAX_PARTS = 500;

/** Makes those of a worker. */
export function createSpecTexts(max = MAX_PARTS): SpecTexts {
  const parts = new Map<string, SharedSpec>();
  /** By one of its parts that no two of them have. */
  const texts = new WeakMap<SharedSpec['capabilities'], Written>();
  const keepText = (spec: SharedSpec, text: string): string => {
    const { directive, extends: bases, model, fallbacks, warnings, outputSchema } = spec;
    texts.set(spec.capabilities, { directive, extends: bases, model, fallbacks, warnings, outputSchema, text });
    return text;
  };
  const shared = (spec: SharedSpec): string => {
    const last = texts.get(spec.capabilities);
    return last && isSame(last, spec) ? last.text : keepText(spec, writeShared(spec));
  };
  const readPart = (text: string): SharedSpec => {
    const known = parts.get(text);
    if (known) return known;
    if (parts.size >= max) parts.clear();
    // Written by `writeShared`.
    const part = deepFreeze(JSON.parse(text) as SharedSpec);
    parts.set(text, part);
    keepText(part, text);
    return part;
  };
  return {
    pack: (spec) => packSpec(spec, shared),
    // Written by `packSpec`.
    read: (text) => ({ ...readPart(text.shared), ...(JSON.parse(text.own) as Omit<ThreadSpec, keyof SharedSpec>) }),
    shared,
  };
}

type Others = { readonly [Key in keyof Required<Omit<SharedSpec, 'capabilities'>>]: SharedSpec[Key] };
type Written = Others & { readonly text: string };

function isSame(one: Others, other: SharedSpec): boolean {
  return (
    one.directive === other.directive &&
    one.extends === other.extends &&
    one.model === other.model &&
    one.fallbacks === other.fallbacks &&
    one.warnings === other.warnings &&
    one.outputSchema === other.outputSchema
  );
}
