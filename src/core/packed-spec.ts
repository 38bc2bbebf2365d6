import type { PackedSpec, SharedSpec, SpecText, ThreadSpec } from './protocol.ts';

/** Packs a spec; `sharedText`: where what it has in common with others is found as JSON, if somebody has it already. */
export function packSpec(spec: ThreadSpec, sharedText: (spec: SharedSpec) => string = writeShared): PackedSpec {
  const { directive, model, limits } = spec;
  return {
    directive,
    model,
    spend: limits.spend,
    spawns: limits.spawns,
    shared: sharedText(spec),
    own: writeOwn(spec),
  };
}

/** What a spec has in common with those of its directive, as JSON: the same parts give the same text. */
export function writeShared(spec: SharedSpec): string {
  const { directive, extends: bases, model, fallbacks, warnings, capabilities, outputSchema } = spec;
  const shared: Whole<SharedSpec> = {
    directive,
    extends: bases,
    model,
    fallbacks,
    warnings,
    capabilities,
    outputSchema,
  };
  return JSON.stringify(shared);
}

type OwnSpec = Omit<ThreadSpec, keyof SharedSpec>;
/** With every field, so that none is forgotten; what is undefined is not written. */
type Whole<Part> = { readonly [Key in keyof Required<Part>]: Part[Key & keyof Part] };

function writeOwn({ inputs, limits, forkedFrom, message, hookDepth, callId, traceparent }: OwnSpec): string {
  const own: Whole<OwnSpec> = { inputs, limits, forkedFrom, message, hookDepth, callId, traceparent };
  return JSON.stringify(own);
}

/** The spec as it is stored, one JSON object. */
export function specJson({ shared, own }: SpecText): string {
  return `${shared.slice(0, -1)},${own.slice(1)}`;
}

/** The spec that was packed. */
export function unpackSpec({ shared, own }: SpecText): ThreadSpec {
  // Written by `packSpec`.
  return { ...(JSON.parse(shared) as SharedSpec), ...(JSON.parse(own) as OwnSpec) };
}
