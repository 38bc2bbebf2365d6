import { createClassifier } from '../../src/config/classify.ts';
import { retryDelayMs } from '../../src/config/retry.ts';
import type { Document } from '../../src/config/merge.ts';
import { once, replaced, SCHEMA_VERSION, shippedFile, valueAt, type Row, type State } from './row.ts';
import { shown } from './shown.ts';

type Condition = {
  readonly any?: readonly Condition[];
  readonly all?: readonly Condition[];
  readonly not?: Condition;
  readonly path?: string;
  readonly op?: string;
  readonly value?: unknown;
};
type Probe = Readonly<Record<string, unknown>>;

/** What the shipped regexes are to find. */
const MESSAGES = [
  'rate limit',
  'Too Many Requests',
  'throttled',
  'a timeout',
  'it timed out',
  'connection reset',
  'connection refused',
  'connection closed',
  'connection error',
  'network down',
  'terminated',
  'fetch failed',
  'socket hang up',
  'other side closed',
  'premature close',
  'stream ended',
];

/** Failures that the shipped patterns are about: one for each value of a condition, and one that is none of them. */
const PROBES: readonly Probe[] = [
  ...new Map(
    [...conditionsIn(shippedFile('error_classification')), { path: 'error.type', op: 'eq', value: 'Strange' }]
      .flatMap(probesFor)
      .map((probe) => [JSON.stringify(probe), probe]),
  ).values(),
];

function conditionsIn(document: Readonly<Record<string, unknown>>): readonly Condition[] {
  // The shipped file has been checked by the parser.
  const { patterns } = document as { readonly patterns: readonly { readonly match: Condition }[] };
  return patterns.flatMap(({ match }) => simple(match));
}

function simple({ any = [], all = [], not, ...condition }: Condition): readonly Condition[] {
  const inner = [...any, ...all, ...(not ? [not] : [])].flatMap(simple);
  return condition.path === undefined ? inner : [...inner, condition];
}

function probesFor({ path = '', op, value }: Condition): readonly Probe[] {
  const values =
    op === 'regex' ? MESSAGES : op === 'exists' ? [500] : Array.isArray(value) ? (value as unknown[]) : [value];
  return values.flatMap((each) => {
    const probe = put(path, each);
    // Some patterns are for failures without a status only.
    return path === 'status_code' ? [probe] : [probe, { ...probe, status_code: 418 }];
  });
}

function put(path: string, value: unknown): Probe {
  const [first = '', ...rest] = path.split('.');
  return { [first]: rest.length === 0 ? value : put(rest.join('.'), value) };
}

/** What becomes of every probe: its class, and when it is tried again, with and without the server's advice. */
const fates = once(({ config }: State): unknown => {
  const classify = createClassifier(config.errors);
  return PROBES.map((probe) => {
    const { category, retryable, code, policy } = classify(probe);
    const delays = [{}, { 'retry-after': '7' }, { 'x-wait': '9' }].flatMap((headers) =>
      [0, 1, 9].map((attempt) => retryDelayMs(policy, attempt, { headers, now: 0 })),
    );
    return [probe, category, retryable, code, delays];
  });
});

/** `exists` has no value, every other operator has one. */
function withOtherOperator(document: Document, path: string): Document {
  if (valueAt(document, path) !== 'exists') return replaced(document, path, () => 'ne');
  return replaced(document, path.replace(/\.op$/, ''), () => ({ path: 'status_code', op: 'eq', value: 400 }));
}

/** A policy of another type has other settings. */
function withFixedPolicy(document: Document, path: string): Document {
  return replaced(document, path.replace(/\.type$/, ''), () => ({ type: 'fixed', delay: 5 }));
}

export const ERROR_ROWS: readonly Row[] = [
  SCHEMA_VERSION,
  { path: 'patterns[*].id', sees: fates },
  { path: 'patterns[*].name', sees: shown('error_classification') },
  { path: 'patterns[*].category', sees: fates },
  { path: 'patterns[*].retryable', sees: fates },
  { path: 'patterns[*].match**.path', sees: fates },
  { path: 'patterns[*].match**.op', change: withOtherOperator, sees: fates },
  { path: 'patterns[*].match**.value', to: otherValue, sees: fates },
  { path: 'patterns[*].match**.value[*]', to: otherValue, sees: fates },
  {
    path: 'patterns[*].retry_policy.type',
    change: withFixedPolicy,
    sees: fates,
  },
  {
    path: 'patterns[*].retry_policy.fallback.type',
    change: withFixedPolicy,
    sees: fates,
  },
  { path: 'patterns[*].retry_policy.header', to: () => 'x-wait', sees: fates },
  { path: 'patterns[*].retry_policy.base', sees: fates },
  { path: 'patterns[*].retry_policy.max', sees: fates },
  { path: 'patterns[*].retry_policy.fallback.base', sees: fates },
  { path: 'patterns[*].retry_policy.fallback.max', sees: fates },
  { path: 'default.category', sees: fates },
];

function otherValue(value: unknown): unknown {
  if (typeof value === 'number') return value + 70;
  return typeof value === 'boolean' ? !value : 'something else';
}
