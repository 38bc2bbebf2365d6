import { SkeinError, type ErrorPlace, type SkeinErrorCode } from '../core/errors.ts';
import type { Limits } from '../core/limits.ts';
import type { NanoUsd } from '../core/money.ts';
import { isRecord } from '../core/record.ts';
import { limitFields, type LimitField } from './limit-fields.ts';

/** Limits as somebody wrote them, not yet checked: the seeds' names, `spend` in decimal USD. */
export type WrittenLimits = Readonly<Record<string, unknown>>;

/** What caps a child. */
export type ParentLimits = {
  readonly limits: Limits;
  /** What the parent may still spend or reserve, in nano-USD. */
  readonly remaining: NanoUsd;
  /** Children the parent may still start, this one included. */
  readonly spawnsLeft: number;
};

/** Everything a thread's limits are made of. */
export type LimitSources = {
  readonly defaults: Limits;
  /** The directive, or the part of it that matters. */
  readonly directive: { readonly id: string; readonly limits: WrittenLimits };
  readonly overrides?: WrittenLimits;
  readonly parent?: ParentLimits;
};

/** A thread's limits, and what should be reported as `warning` events. */
export type ResolvedLimits = { readonly limits: Limits; readonly warnings: readonly string[] };

/**
 * Defaults < directive < caller, then capped by the parent (contracts, "Limit resolution"): the smaller of each field,
 * one level less depth, and of the money no more than the parent has left. Without an explicit `spend` a child gets an
 * even share of that, but no more than the default.
 *
 * @throws SkeinError `invalid_item` or `invalid_argument` for a limit that does not exist or has no sensible value, with
 * the directive and the field; `depth_exceeded` when the parent may have no children.
 */
export function resolveLimits({ defaults, directive, ...changes }: LimitSources): ResolvedLimits {
  const own = directiveLimits(defaults, directive);
  return { limits: threadLimits(own, changes), warnings: own.warnings };
}

/** Limits of all threads of a directive; `hasSpend`: it says what may be spent. */
export type DirectiveLimits = ResolvedLimits & { readonly hasSpend: boolean };

/** The first part of {@link resolveLimits}: defaults < directive. @throws SkeinError `invalid_item` */
export function directiveLimits(defaults: Limits, directive: LimitSources['directive']): DirectiveLimits {
  const warnings: string[] = [];
  const fromDirective = readLimits(renameOldSpellings(directive, warnings), {
    owner: `directive "${directive.id}"`,
    code: 'invalid_item',
  });
  return { limits: { ...defaults, ...fromDirective }, warnings, hasSpend: fromDirective.spend !== undefined };
}

/** The rest of it: what the caller changes, then the cap. @throws SkeinError `invalid_argument`, `depth_exceeded` */
export function threadLimits(
  { limits, hasSpend }: DirectiveLimits,
  { overrides, parent }: { readonly [Key in 'overrides' | 'parent']?: LimitSources[Key] | undefined },
): Limits {
  const asked = overrides === undefined ? undefined : overridden(overrides);
  const own = asked ? { ...limits, ...asked } : limits;
  return parent ? capByParent(own, hasSpend || asked?.spend !== undefined, parent) : own;
}

/** Callers without types may pass anything. */
function overridden(overrides: WrittenLimits): Partial<Limits> {
  if (isRecord(overrides)) return readLimits(overrides, { owner: 'limit overrides', code: 'invalid_argument' });
  throw new SkeinError('invalid_argument', 'limit overrides: limits are an object of names and values');
}

function capByParent(own: Limits, isSpendExplicit: boolean, { limits, remaining, spawnsLeft }: ParentLimits): Limits {
  if (limits.depth < 1) {
    throw new SkeinError('depth_exceeded', 'this thread is at the deepest level allowed and cannot start another');
  }
  const left = Math.max(0, remaining);
  const share = isSpendExplicit ? left : Math.floor(left / (Math.max(0, spawnsLeft) + 1));
  return {
    turns: Math.min(own.turns, limits.turns),
    tokens: Math.min(own.tokens, limits.tokens),
    spend: Math.min(own.spend, limits.spend, share),
    spawns: Math.min(own.spawns, limits.spawns),
    depth: Math.min(own.depth, limits.depth - 1),
    durationSeconds: Math.min(own.durationSeconds, limits.durationSeconds),
  };
}

/** Names that directives may still use (contracts, "Limits"). */
export const OLD_SPELLINGS: Readonly<Record<string, LimitField>> = {
  max_turns: 'turns',
  max_tokens: 'tokens',
  max_spend: 'spend',
};

function renameOldSpellings({ id, limits }: LimitSources['directive'], warnings: string[]): WrittenLimits {
  let renamed = limits;
  for (const [old, name] of Object.entries(OLD_SPELLINGS)) {
    if (!Object.hasOwn(renamed, old)) continue;
    const { [old]: value, ...others } = renamed;
    if (Object.hasOwn(others, name)) {
      throw refusal({ owner: `directive "${id}"`, code: 'invalid_item' }, old, `stands beside "${name}": keep one`);
    }
    warnings.push(`directive "${id}": limit "${old}" is an old spelling of "${name}"`);
    renamed = { ...others, [name]: value };
  }
  return renamed;
}

/** What is wrong with a limit by its canonical name, as the end of a sentence; undefined if nothing is. */
export function faultOfLimit(field: string, value: unknown): string | undefined {
  if (!isLimitField(field)) return `is not a limit; the limits are ${Object.keys(limitFields).join(', ')}`;
  const { error } = limitFields[field].safeParse(fromText(value));
  return error && `is wrong: ${error.issues[0]?.message ?? 'invalid'}`;
}

type Owner = { readonly owner: string; readonly code: SkeinErrorCode };

function readLimits(written: WrittenLimits, owner: Owner): Partial<Limits> {
  const read = Object.keys(written)
    .filter((field) => written[field] !== undefined)
    .map((field) => [field, readLimit(field, written[field], owner)] as const);
  const { turns, tokens, spend, spawns, depth, duration_seconds } = Object.fromEntries(read);
  return {
    ...(turns !== undefined && { turns }),
    ...(tokens !== undefined && { tokens }),
    ...(spend !== undefined && { spend }),
    ...(spawns !== undefined && { spawns }),
    ...(depth !== undefined && { depth }),
    ...(duration_seconds !== undefined && { durationSeconds: duration_seconds }),
  };
}

function readLimit(field: string, value: unknown, owner: Owner): number | undefined {
  const fault = faultOfLimit(field, value);
  if (fault !== undefined || !isLimitField(field)) throw refusal(owner, field, fault ?? 'is not a limit');
  const parsed = limitFields[field].parse(fromText(value));
  return typeof parsed === 'number' ? parsed : undefined;
}

function isLimitField(field: string): field is LimitField {
  return Object.hasOwn(limitFields, field);
}

/** XML and command lines know text only. */
function fromText(value: unknown): unknown {
  return typeof value === 'string' && /^\d{1,15}(?:\.\d{1,15})?$/.test(value.trim()) ? Number(value) : value;
}

function refusal({ owner, code }: Owner, field: string, problem: string): SkeinError {
  const where: ErrorPlace = { path: `limits.${field}` };
  return new SkeinError(code, `${owner}: limit "${field}" ${problem}`, { where });
}
