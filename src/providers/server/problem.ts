import type * as z from 'zod';

type Issue = z.core.$ZodIssue;

/** What is wrong with a request, before a provider puts it in its own words. */
export type Problem = {
  /** E.g. `['messages', 0, 'content']`. */
  readonly path: readonly (string | number)[];
  readonly kind: 'unknown_field' | 'missing' | 'wrong';
  readonly message: string;
};

/** The first fault a schema found; of a choice, the alternative that came furthest. */
export function firstProblem({ issues }: z.core.$ZodError): Problem {
  const [issue] = issues;
  return issue === undefined ? { path: [], kind: 'wrong', message: 'invalid' } : describe(issue, []);
}

function describe(issue: Issue, before: Problem['path']): Problem {
  const path = [...before, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))];
  if (issue.code === 'unrecognized_keys') {
    const [key = ''] = issue.keys;
    return { path: [...path, key], kind: 'unknown_field', message: issue.message };
  }
  if (issue.code === 'invalid_union') {
    const found = issue.errors.flatMap(([first]) => (first === undefined ? [] : [describe(first, path)]));
    const [furthest] = found.toSorted((left, right) => right.path.length - left.path.length);
    if (furthest) return furthest;
  }
  const isMissing = issue.code === 'invalid_type' && issue.message.endsWith('received undefined');
  return { path, kind: isMissing ? 'missing' : 'wrong', message: issue.message };
}
