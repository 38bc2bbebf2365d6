import type { Origin } from './machine.ts';
import { describeCase, type Result } from './results.ts';

/** What was measured at one time, of one state of the code. Older files don't say when, and of which. */
export type Report = Pick<Origin, 'machine'> &
  Partial<Origin> & {
    readonly results: readonly Result[];
  };

/** A case of a run that was not stored. */
export type LeftOut = {
  readonly case: string;
  readonly date?: string;
  readonly commit?: string;
  readonly why: string;
};

/** A scenario's file: runs, the newest last, and what of later ones is not among them. */
export type Stored = { readonly reports: readonly Report[]; readonly leftOut: readonly LeftOut[] };

/** What a run has found. */
export type Fresh = Origin & {
  readonly results: readonly Result[];
  /** Cases in which something was wrong, as {@link describeCase} has them. */
  readonly failed: ReadonlySet<string>;
};

/**
 * Adds a run to what is stored. Sizes and contenders are compared within one run, so an earlier one stays whole beside it until a
 * later one has each contender of each of its cases. A case is left out if something was wrong with it, or if a contender had fewer
 * runs than it has in what is stored.
 */
export function mergeResults(stored: Stored, { failed, ...fresh }: Fresh): Stored {
  const found = byCase(fresh.results);
  const old = byCase(stored.reports.flatMap(({ results }) => results));
  const leftOut = new Map(stored.leftOut.map((one) => [one.case, one]));
  const { date, commit } = fresh;
  const taken: Result[] = [];
  for (const name of new Set([...found.keys(), ...failed])) {
    const results = found.get(name) ?? [];
    const why = failed.has(name) ? 'something was wrong with it' : lessThan(old.get(name), results);
    if (why === undefined) {
      taken.push(...results);
      leftOut.delete(name);
    } else leftOut.set(name, { case: name, date, commit, why });
  }
  const places = new Set(taken.map(placeOf));
  const left = stored.reports.filter(({ results }) => results.some((one) => !places.has(placeOf(one))));
  const reports = taken.length > 0 ? [...left, { ...fresh, results: taken }] : left;
  return { reports, leftOut: [...leftOut.values()] };
}

function byCase(results: readonly Result[]): Map<string, Result[]> {
  return Map.groupBy(results, ({ params }) => describeCase(params));
}

/** Whose result of which case it is. */
function placeOf({ contender, params }: Result): string {
  return `${contender}: ${describeCase(params)}`;
}

/** Why results of a case are less than others of it; undefined: they are not. */
function lessThan(old: readonly Result[] = [], found: readonly Result[]): string | undefined {
  const runsOf = (results: readonly Result[], name: string): number =>
    Math.max(0, ...results.filter(({ contender }) => contender === name).map(({ runs }) => runs));
  for (const contender of new Set(found.map((one) => one.contender))) {
    const [had, has] = [runsOf(old, contender), runsOf(found, contender)];
    if (has < had) return `${contender} had ${has} of ${had} runs`;
  }
  return undefined;
}

/** What a file has: this form, or that of files that knew neither day nor commit. Undefined: something else. */
export function readStored(content: unknown): Stored | undefined {
  if (isReport(content)) return { reports: [content], leftOut: [] };
  if (typeof content !== 'object' || content === null || !('reports' in content) || !('leftOut' in content))
    return undefined;
  const { reports, leftOut } = content;
  // Written by `encodeStored`, or by what was there before it.
  return Array.isArray(reports) && Array.isArray(leftOut) && reports.every(isReport) ? (content as Stored) : undefined;
}

function isReport(content: unknown): content is Report {
  if (typeof content !== 'object' || content === null || !('machine' in content)) return false;
  return 'results' in content && Array.isArray(content.results);
}

/** A file of results, laid out as the formatter would. */
export function encodeStored(stored: Stored): string {
  const json = JSON.stringify(stored, undefined, 2);
  return `${json.replace(/\[\n\s+([-\w.+]+),\n\s+([-\w.+]+)\n\s+\]/g, '[$1, $2]')}\n`;
}
