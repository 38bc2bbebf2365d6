import * as z from 'zod';
import { SkeinError, type ErrorPlace } from '../core/errors.ts';
import { own } from '../core/record.ts';
import type { Document } from './merge.ts';
import { strict } from './section.ts';

/** When a failed call is tried again (S2 §4.2), names resolved and defaults filled. All times in seconds. */
export type RetryPolicy =
  | { readonly type: 'none' }
  | { readonly type: 'fixed'; readonly delay: number }
  | { readonly type: 'exponential'; readonly base: number; readonly max: number }
  | { readonly type: 'use_header'; readonly header: string; readonly fallback: RetryPolicy };

/** Named policies: `retry.policies` of `resilience.yaml`. */
export type NamedPolicies = Readonly<Record<string, RetryPolicy>>;

/** A policy as written: `type` is a policy type or the name of a policy, the rest overrides parts of it. */
export type PolicySpec = {
  readonly type: string;
  readonly base?: number | undefined;
  readonly max?: number | undefined;
  readonly delay?: number | undefined;
  readonly header?: string | undefined;
  readonly fallback?: PolicySpec | undefined;
};

const policyShape = {
  type: z.string(),
  base: z.number().positive().optional(),
  max: z.number().positive().optional(),
  delay: z.number().min(0).optional(),
  header: z.string().min(1).optional(),
  get fallback(): z.ZodOptional<z.ZodType<PolicySpec>> {
    return policySpec.optional();
  },
};

/** A policy as an object, or as the name of one. */
export const policySpec: z.ZodType<PolicySpec> = z.preprocess(
  (value) => (typeof value === 'string' ? { type: value } : value),
  strict(policyShape),
);

/** What a retryable failure without a policy gets. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = { type: 'exponential', base: 2, max: 120 };

const DEFAULTS: NamedPolicies = {
  none: { type: 'none' },
  fixed: { type: 'fixed', delay: 60 },
  exponential: DEFAULT_RETRY_POLICY,
  use_header: { type: 'use_header', header: 'retry-after', fallback: DEFAULT_RETRY_POLICY },
};

/**
 * Resolves one policy against the named ones.
 *
 * @throws SkeinError `invalid_config` for an unknown name or a setting that means nothing for this type.
 */
export function resolvePolicy(spec: PolicySpec, named: NamedPolicies, place: ErrorPlace): RetryPolicy {
  return resolve(spec, { find: (name) => own(named, name), names: Object.keys(named), place });
}

/** Resolves `retry.policies`, which may refer to each other but not in a circle. */
export function resolveNamedPolicies(specs: Readonly<Record<string, PolicySpec>>, place: ErrorPlace): NamedPolicies {
  const names = Object.keys(specs);
  const done = new Map<string, RetryPolicy>();
  const open = new Set<string>();
  const visit = (name: string): RetryPolicy | undefined => {
    const spec = own(specs, name);
    if (spec === undefined || done.has(name)) return done.get(name);
    if (open.has(name)) {
      throw refusal(place, `retry policies refer to each other in a circle: ${[...open, name].join(' → ')}`);
    }
    open.add(name);
    // `exponential: {type: exponential}` means the type.
    const isOwnType = (other: string): boolean => other === name && Object.hasOwn(DEFAULTS, name);
    const find = (other: string): RetryPolicy | undefined => (isOwnType(other) ? undefined : visit(other));
    const policy = resolve(spec, { find, names, place: at(place, name) });
    open.delete(name);
    done.set(name, policy);
    return policy;
  };
  return Object.fromEntries(names.map((name) => [name, checkName(name, visit(name), place)] as const));
}

/**
 * Brings the synonyms of a document's retry policies to one spelling before it is merged: `max_delay` is `max`,
 * `policy` is `type` (contracts, "Retry").
 */
export function unifyPolicySpelling(document: Document, place: ErrorPlace): Document {
  // A map goes in, so a map comes out.
  return unify(document, [], place) as Document;
}

type Scope = {
  readonly find: (name: string) => RetryPolicy | undefined;
  readonly names: readonly string[];
  readonly place: ErrorPlace;
};

function resolve(spec: PolicySpec, scope: Scope): RetryPolicy {
  const start = scope.find(spec.type) ?? own(DEFAULTS, spec.type);
  if (start === undefined) {
    const known = [...new Set([...Object.keys(DEFAULTS), ...scope.names])].join(', ');
    throw refusal(at(scope.place, 'type'), `unknown retry policy "${spec.type}"; known: ${known}`);
  }
  refuseForeignFields(start, spec, scope.place);
  switch (start.type) {
    case 'none':
      return start;
    case 'fixed':
      return { ...start, delay: spec.delay ?? start.delay };
    case 'exponential':
      return { ...start, base: spec.base ?? start.base, max: spec.max ?? start.max };
    case 'use_header': {
      const inner = { ...scope, place: at(scope.place, 'fallback') };
      const fallback = spec.fallback ? resolve(spec.fallback, inner) : start.fallback;
      return { ...start, header: (spec.header ?? start.header).toLowerCase(), fallback };
    }
    default:
      return start satisfies never;
  }
}

function refuseForeignFields(policy: RetryPolicy, spec: PolicySpec, place: ErrorPlace): void {
  const { type: _, ...settings } = spec;
  for (const [key, value] of Object.entries(settings)) {
    if (value === undefined || Object.hasOwn(policy, key)) continue;
    const allowed = Object.keys(policy).join(', ');
    throw refusal(
      at(place, key),
      `"${key}" has no meaning for a retry policy of type ${policy.type}; allowed: ${allowed}`,
    );
  }
}

function checkName(name: string, policy: RetryPolicy | undefined, place: ErrorPlace): RetryPolicy {
  if (policy === undefined) throw refusal(at(place, name), `retry policy "${name}" is not defined`);
  if (Object.hasOwn(DEFAULTS, name) && policy.type !== name) {
    throw refusal(at(place, name), `a policy named like the type "${name}" must be of that type, not ${policy.type}`);
  }
  return policy;
}

const SYNONYMS: Readonly<Record<string, string>> = { max_delay: 'max', policy: 'type' };

function unify(value: unknown, path: readonly string[], place: ErrorPlace): unknown {
  if (Array.isArray(value)) return value.map((item) => unify(item, path, place));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(
    ([key, item]) => [isPolicy(path) ? (own(SYNONYMS, key) ?? key) : key, unify(item, [...path, key], place)] as const,
  );
  if (new Set(entries.map(([key]) => key)).size < entries.length) {
    throw refusal({ ...place, path: path.join('.') }, 'max and max_delay (or type and policy) are the same setting');
  }
  return Object.fromEntries(entries);
}

function isPolicy(path: readonly string[]): boolean {
  const key = path.at(-1);
  return key === 'retry_policy' || key === 'fallback' || path.at(-2) === 'policies';
}

function at(place: ErrorPlace, key: string): ErrorPlace {
  return { ...place, path: place.path ? `${place.path}.${key}` : key };
}

function refusal(where: ErrorPlace, message: string): SkeinError {
  return new SkeinError('invalid_config', message, { where });
}
