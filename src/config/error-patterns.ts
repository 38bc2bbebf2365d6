import * as z from 'zod';
import { SkeinError } from '../core/errors.ts';
import { conditionField } from './condition-field.ts';
import type { Document } from './merge.ts';
import {
  DEFAULT_RETRY_POLICY,
  policySpec,
  resolvePolicy,
  type NamedPolicies,
  type PolicySpec,
  type RetryPolicy,
} from './retry-policy.ts';
import { parseSection, schemaVersion, section } from './section.ts';

const category = z.string().regex(/^[a-z][a-z0-9_]*$/, 'a category is a snake_case word such as transient');

const errorsSchema = section({
  schema_version: schemaVersion,
  patterns: z.array(
    section({
      id: z.string().min(1),
      name: z.string().optional(),
      category,
      retryable: z.boolean().optional(),
      match: conditionField.refine(
        (match) => !isEmpty(match),
        'a pattern needs a match; an empty one would match every error',
      ),
      retry_policy: policySpec.optional(),
    }),
  ),
  default: section({ category, retryable: z.boolean().optional(), retry_policy: policySpec.optional() }),
});

/** One pattern of `error_classification.yaml`; `match` stays as written. */
export type ErrorPattern = {
  readonly id: string;
  readonly category: string;
  readonly retryable: boolean;
  readonly match: unknown;
  readonly policy: RetryPolicy;
};

/** `error_classification.yaml` (S2 §4.2): patterns in order, and what holds when none matches. */
export type ErrorsConfig = {
  readonly patterns: readonly ErrorPattern[];
  readonly default: Omit<ErrorPattern, 'id' | 'match'>;
};

/**
 * Parses `error_classification.yaml`. Without `retryable` an entry is what its policy says, and without one retryable in the
 * categories `transient` and `rate_limited`; a retryable entry without a policy waits 2 s, doubling up to 120 s.
 *
 * @throws SkeinError `invalid_config` also for an entry that says that it is retryable, and has the policy not to retry
 */
export function parseErrors(document: Document, file: string, policies: NamedPolicies): ErrorsConfig {
  const errors = parseSection(errorsSchema, document, file);
  const complete = (entry: Entry, path: string): ErrorsConfig['default'] => {
    const { category: kind, retryPolicy } = entry;
    const where = { file, path: `${path}.retry_policy` };
    const policy = retryPolicy && resolvePolicy(retryPolicy, policies, where);
    if (entry.retryable === true && policy?.type === 'none')
      throw new SkeinError('invalid_config', 'what is retryable has a policy other than "none"', { where });
    const isTried = policy ? policy.type !== 'none' : kind === 'transient' || kind === 'rate_limited';
    const retryable = entry.retryable ?? isTried;
    return { category: kind, retryable, policy: policy ?? (retryable ? DEFAULT_RETRY_POLICY : NO_RETRY) };
  };
  return {
    patterns: errors.patterns.map((pattern) => ({
      id: pattern.id,
      match: pattern.match,
      ...complete(pattern, `patterns[${pattern.id}]`),
    })),
    default: complete(errors.default, 'default'),
  };
}

type Entry = {
  readonly category: string;
  readonly retryable?: boolean | undefined;
  readonly retryPolicy?: PolicySpec | undefined;
};

const NO_RETRY: RetryPolicy = { type: 'none' };

/** Whether a condition asks for nothing: `{}`, `{all: []}`, and what is made of them. */
function isEmpty(match: unknown): boolean {
  if (typeof match !== 'object' || match === null) return true;
  const { any, all, ...test }: { readonly any?: unknown; readonly all?: unknown } = match;
  if (Array.isArray(any)) return any.some(isEmpty);
  if (Array.isArray(all)) return all.every(isEmpty);
  return Object.keys(test).length === 0;
}
