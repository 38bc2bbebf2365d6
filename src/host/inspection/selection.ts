import { compileWildcard } from '../../core/wildcard.ts';
import type { HostContext } from '../host-context.ts';
import type { ThreadEntry } from '../rest/thread-table.ts';
import type { InspectChoice } from './inspect-options.ts';

/** Whether a thread is among those that somebody looks at. */
export type Selection = (entry: ThreadEntry) => boolean;

/** Makes the selection of a choice. */
export function createSelection(choice: InspectChoice, host: () => Pick<HostContext, 'table' | 'reader'>): Selection {
  const { threads, subtrees, directives, sample = 1, sampleOf = 'roots' } = choice;
  const isNamed = new Set(threads);
  const tops = new Set(subtrees);
  const heirs = new WeakMap<ThreadEntry, boolean>();
  const isTop = (entry: ThreadEntry): boolean => {
    const { threadId, continues } = entry.lineage;
    if (tops.has(threadId)) return true;
    if (continues === undefined) return false;
    const known = heirs.get(entry);
    if (known !== undefined) return known;
    const isHeir = goesOn(continues, tops, host());
    heirs.set(entry, isHeir);
    return isHeir;
  };
  const patterns = (directives ?? []).map(compileWildcard);
  const isBelow = (entry: ThreadEntry | undefined): boolean =>
    entry !== undefined && (isTop(entry) || isBelow(host().table.parentOf(entry)));
  const isOnDirective = (entry: ThreadEntry): boolean => {
    const directive = directiveOf(entry, host());
    return patterns.some((matches) => matches(directive));
  };
  const childOfRoot = (entry: ThreadEntry): ThreadEntry | undefined => {
    const above = host().table.parentOf(entry);
    return above && (childOfRoot(above) ?? entry);
  };
  const isIn = (entry: ThreadEntry): boolean => {
    if (sampleOf === 'roots') return isSampled(entry.lineage.root, sample);
    const child = childOfRoot(entry);
    // Those who took over from a child stay where that was.
    return child === undefined || isSampled(child.family, sample);
  };
  const isAny = !threads && !subtrees && !directives;
  return (entry) => {
    if (!isIn(entry)) return false;
    if (isAny || isNamed.has(entry.lineage.threadId)) return true;
    return (tops.size > 0 && isBelow(entry)) || (patterns.length > 0 && isOnDirective(entry));
  };
}

/** The golden ratio of 2^32: multiples of it are spread evenly, so that numbers in a row make a fair sample. */
const SPREAD = 2_654_435_761;

/** By the number of its root, or of the root's child that it is below: that is looked at as a whole or not at all. */
export function isSampled(top: number, sample: number): boolean {
  return (Math.imul(top, SPREAD) >>> 0) / 2 ** 32 < sample;
}

/** Whether a thread that goes on from this one is in a chain with one of these: by a hand-over, or resumed after an end. */
function goesOn(continues: string, tops: ReadonlySet<string>, { reader }: Pick<HostContext, 'reader'>): boolean {
  for (
    let at = reader.thread(continues);
    at;
    at = at.predecessor === undefined ? undefined : reader.threadByNo(at.predecessor)
  ) {
    if (tops.has(at.threadId)) return true;
  }
  return false;
}

/** One that was read back does not know it: it is looked up once. */
function directiveOf(entry: ThreadEntry, { reader }: Pick<HostContext, 'reader'>): string {
  if (entry.directive === '') entry.directive = reader.thread(entry.lineage.threadId)?.directive ?? '';
  return entry.directive;
}
