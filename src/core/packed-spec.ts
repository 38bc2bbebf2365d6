import {
  SHARED_FIELDS,
  type OwnSpec,
  type PackedSpec,
  type SharedFields,
  type SpecText,
  type ThreadSpec,
} from './protocol.ts';

/** What threads of a directive have in common of their specs, and the same as JSON: whoever has it need not write it. */
export type SharedSpec = SharedFields & { readonly text: string };

/** A {@link ThreadSpec} in its two parts, as workers have it. */
export type SplitSpec = { readonly shared: SharedSpec; readonly own: OwnSpec };

const IS_SHARED: ReadonlySet<string> = new Set(SHARED_FIELDS);

/** Writes what a spec has in common with others; the same fields give the same text. */
export function writeShared(spec: SharedFields): string {
  // What is undefined is not written.
  return JSON.stringify(Object.fromEntries(SHARED_FIELDS.map((field) => [field, spec[field]])));
}

/** Splits a spec; `read` finds the shared part of a text. */
export function splitSpec(spec: ThreadSpec, read: (text: string) => SharedSpec = readShared): SplitSpec {
  const own = Object.fromEntries(Object.entries(spec).filter(([field]) => !IS_SHARED.has(field)));
  // What is left of a spec.
  return { shared: read(writeShared(spec)), own: own as OwnSpec };
}

/** Reads what `writeShared` has written. */
export function readShared(text: string): SharedSpec {
  return { ...(JSON.parse(text) as SharedFields), text };
}

/** Packs a spec for its way to the host, the store and the worker that starts it. */
export function packSpec({ shared, own }: SplitSpec): PackedSpec {
  const { directive, model, text } = shared;
  const { spend, spawns } = own.limits;
  return { directive, model, spend, spawns, shared: text, own: JSON.stringify(own) };
}

/** The spec as it is stored, one JSON object; no part is ever empty. */
export function specJson({ shared, own }: SpecText): string {
  return `${shared.slice(0, -1)},${own.slice(1)}`;
}

/** What is a packed spec's own. */
export function ownPart({ own }: SpecText): OwnSpec {
  // Written by `packSpec`.
  return JSON.parse(own) as OwnSpec;
}

/** The spec that was packed. */
export function unpackSpec(text: SpecText): ThreadSpec {
  // Written by `packSpec`.
  return { ...(JSON.parse(text.shared) as SharedFields), ...ownPart(text) };
}
