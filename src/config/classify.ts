import { compileCondition, type Condition } from '../core/condition.ts';
import type { ErrorsConfig } from './error-patterns.ts';
import type { RetryPolicy } from './retry-policy.ts';

/** What kind of failure it is, and what to do about it (S2 §6.3). */
export type Classification = {
  /** `transient`, `rate_limited`, `permanent`, `cancelled`, or a category of the project's own. */
  readonly category: string;
  readonly retryable: boolean;
  readonly policy: RetryPolicy;
  /** Id of the pattern that matched, else `unclassified`. */
  readonly code: string;
};

/** Decides on an error context: `{error: {type, message, code}, status_code, headers}` (contracts, "Error context"). */
export type Classifier = (context: unknown) => Classification;

/** Compiles the patterns once, for the first error; the first that matches decides. Results are shared objects. */
export function createClassifier(errors: ErrorsConfig): Classifier {
  let rules: readonly Rule[] | undefined;
  const unclassified: Classification = { ...errors.default, code: 'unclassified' };
  return (context) => {
    rules ??= errors.patterns.map(compileRule);
    for (const { matches, classification } of rules) if (matches(context)) return classification;
    return unclassified;
  };
}

type Rule = { readonly matches: Condition; readonly classification: Classification };

function compileRule({ id, match, category, retryable, policy }: ErrorsConfig['patterns'][number]): Rule {
  const place = { file: 'error_classification.yaml', path: `patterns[${id}].match` };
  return { matches: compileCondition(match, place), classification: { category, retryable, policy, code: id } };
}
