import * as z from 'zod';
import { conditionField } from './condition-field.ts';
import type { Document } from './merge.ts';
import type { NamedPolicies, PolicySpec, RetryPolicy } from './retry-policy.ts';
import { DEFAULT_RETRY_POLICY, policySpec, resolvePolicy } from './retry-policy.ts';
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
 * Parses `error_classification.yaml`. Without `retryable` the categories `transient` and `rate_limited` are retryable; a
 * retryable entry without a policy waits 2 s, doubling up to 120 s; any other is not tried again.
 */
export function parseErrors(document: Document, file: string, policies: NamedPolicies): ErrorsConfig {
  const errors = parseSection(errorsSchema, document, file);
  const complete = (entry: Entry, path: string): ErrorsConfig['default'] => {
    const retryable = entry.retryable ?? (entry.category === 'transient' || entry.category === 'rate_limited');
    const policy = entry.retryPolicy && resolvePolicy(entry.retryPolicy, policies, { file, path });
    return { category: entry.category, retryable, policy: policy ?? (retryable ? DEFAULT_RETRY_POLICY : NO_RETRY) };
  };
  return {
    patterns: errors.patterns.map((pattern) => ({
      id: pattern.id,
      match: pattern.match,
      ...complete(pattern, `patterns[${pattern.id}].retry_policy`),
    })),
    default: complete(errors.default, 'default.retry_policy'),
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
