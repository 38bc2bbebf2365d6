import type { Origin } from './machine.ts';
import { describeCase, type Result } from './results.ts';

/** What was measured at one time, of one state of the code. Older files don't say when, and of which. */
export type Report = Pick<Origin, 'machine'> &
  Partial<Origin> & {
    readonly results: readonly Result[];
  };

/** A later run of a case that did not take the place of what is stored of it. */
export type Kept = {
  readonly case: string;
  readonly date?: string;
  readonly commit?: string;
  readonly why: string;
};

/** A scenario's file: each case with its newest full results, and what has not replaced them. */
export type Stored = { readonly reports: readonly Report[]; readonly kept: readonly Kept[] };

/** What a run has found. */
export type Fresh = Origin & {
  readonly results: readonly Result[];
  /** Cases in which something was wrong, as {@link describeCase} has them. */
  readonly failed: ReadonlySet<string>;
};

/**
 * Puts what was found in the place of what is stored, case by case. A case stays as it is if something was wrong with it, if a
 * contender that is stored did not take part, or had fewer runs: contenders are compared within one run only.
 */
export function mergeResults(stored: Stored, { failed, ...fresh }: Fresh): Stored {
  const found = byCase(fresh.results);
  const old = byCase(stored.reports.flatMap(({ results }) => results));
  const kept = new Map(stored.kept.map((one) => [one.case, one]));
  const { date, commit } = fresh;
  const taken = new Set<string>();
  for (const name of new Set([...found.keys(), ...failed])) {
    const why = failed.has(name) ? 'something was wrong with it' : lessThan(old.get(name), found.get(name) ?? []);
    if (why === undefined) {
      taken.add(name);
      kept.delete(name);
    } else kept.set(name, { case: name, date, commit, why });
  }
  const isTaken = ({ params }: Result): boolean => taken.has(describeCase(params));
  const left = stored.reports.map((report) => ({ ...report, results: report.results.filter((one) => !isTaken(one)) }));
  const reports = [...left, { ...fresh, results: fresh.results.filter(isTaken) }];
  return { reports: reports.filter(({ results }) => results.length > 0), kept: [...kept.values()] };
}

function byCase(results: readonly Result[]): Map<string, Result[]> {
  return Map.groupBy(results, ({ params }) => describeCase(params));
}

/** Why results of a case are less than others of it; undefined: they are not. */
function lessThan(old: readonly Result[] = [], found: readonly Result[]): string | undefined {
  const runsOf = (results: readonly Result[], name: string): number =>
    Math.max(0, ...results.filter(({ contender }) => contender === name).map(({ runs }) => runs));
  for (const { contender } of old) {
    const [had, has] = [runsOf(old, contender), runsOf(found, contender)];
    if (has === 0) return `${contender} did not take part`;
    if (has < had) return `${contender} had ${has} of ${had} runs`;
  }
  return undefined;
}

/** What a file has: this form, or that of files that knew neither day nor commit. Undefined: something else. */
export function readStored(content: unknown): Stored | undefined {
  if (typeof content !== 'object' || content === null) return undefined;
  // Written by `encodeStored`, or by what was there before it.
  if ('reports' in content) return content as Stored;
  return 'machine' in content ? { reports: [content as Report], kept: [] } : undefined;
}

/** A file of results, laid out as the formatter would. */
export function encodeStored(stored: Stored): string {
  const json = JSON.stringify(stored, undefined, 2);
  return `${json.replace(/\[\n\s+([-\w.+]+),\n\s+([-\w.+]+)\n\s+\]/g, '[$1, $2]')}\n`;
}
