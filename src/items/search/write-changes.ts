import { sameStamp, fileStamp } from './file-stamp.ts';
import type { ItemFinding, IndexRows, StoredItem } from './index-rows.ts';
import type { ItemTexts } from './item-texts.ts';

/** A change on its way into the index. */
export type Change =
  | { readonly kind: 'put'; readonly finding: ItemFinding }
  | { readonly kind: 'remove'; readonly item: StoredItem };

/** What became of a change; `gone`: the file was removed after it had been read, and the index never had it. */
export type Effect = 'added' | 'changed' | 'removed' | 'unchanged' | 'skipped' | 'gone';

/** A change that was made; `after` is what the index has now. */
export type Applied = { readonly effect: Effect; readonly change: Change; readonly after: StoredItem | undefined };

/** What {@link writeChanges} writes to. */
export type WritableIndex = { readonly rows: IndexRows; readonly texts: ItemTexts };

/**
 * Writes changes, at least one, until `isEnough`; inside a transaction. Between the look at a file and here, another
 * process may have removed or replaced the file, and have told the index so: what it wrote is left as it is. All texts come before all rows: the statements
 * that write rows set savepoints, and at each of them FTS5 would write out what it has collected as a segment of its own.
 */
export function writeChanges(
  { rows, texts }: WritableIndex,
  changes: readonly Change[],
  isEnough: () => boolean,
): readonly Applied[] {
  const planned: Planned[] = [];
  let nextNumber = rows.nextNumber();
  for (const change of changes) {
    const plan = planChange(change, rows, nextNumber);
    nextNumber = Math.max(nextNumber, plan.number + 1);
    writeText(plan, texts);
    planned.push(plan);
    if (isEnough()) break;
  }
  return planned.map((plan) => ({ effect: plan.effect, change: plan.change, after: writeRow(plan, rows) }));
}

type Planned = {
  readonly change: Change;
  readonly effect: Effect;
  /** `none`: another process has been faster. */
  readonly action: 'put' | 'restamp' | 'remove' | 'none';
  readonly number: number;
  readonly before: StoredItem | undefined;
};

function planChange(change: Change, rows: IndexRows, nextNumber: number): Planned {
  const before = rows.find(change.kind === 'put' ? change.finding.entry : change.item);
  const plan = { change, before, number: before?.number ?? nextNumber };
  if (change.kind === 'put') return { ...plan, ...planPut(change.finding, before) };
  return { ...plan, ...planRemoval(change.item, before) };
}

type Step = Pick<Planned, 'effect' | 'action'>;

function planPut(finding: ItemFinding, before: StoredItem | undefined): Step {
  const now = fileStamp(finding.entry.file);
  if (now === undefined) return before ? { effect: 'removed', action: 'remove' } : { effect: 'gone', action: 'none' };
  const isOutdated = !sameStamp(finding.stamp, now) && before !== undefined && sameStamp(before, now);
  if (isOutdated) return { effect: 'unchanged', action: 'none' };
  const effect = effectOf(finding, before);
  if (before !== undefined && says(before, finding)) return { effect, action: 'none' };
  if (finding.content.kind === 'same') return { effect, action: before ? 'restamp' : 'none' };
  return { effect, action: 'put' };
}

function planRemoval(seen: StoredItem, before: StoredItem | undefined): Step {
  if (before === undefined) return { effect: 'removed', action: 'none' };
  const isAsSeen = before.number === seen.number && before.file === seen.file && sameStamp(before, seen);
  return isAsSeen ? { effect: 'removed', action: 'remove' } : { effect: 'unchanged', action: 'none' };
}

function effectOf(finding: ItemFinding, before: StoredItem | undefined): Effect {
  if (finding.content.kind === 'problem') return 'skipped';
  if (before === undefined) return 'added';
  return finding.content.kind === 'same' || says(before, finding) ? 'unchanged' : 'changed';
}

function says(stored: StoredItem, { entry, stamp, settled, hash, content }: ItemFinding): boolean {
  if (stored.file !== entry.file || !sameStamp(stored, stamp)) return false;
  if (stored.hash !== hash || stored.settled !== settled) return false;
  return content.kind === 'problem' ? stored.problem?.message === content.problem.message : hash !== undefined;
}

function writeText({ change, action, number, before }: Planned, texts: ItemTexts): void {
  if ((action === 'put' && before !== undefined) || action === 'remove') texts.remove(number);
  if (action !== 'put' || change.kind !== 'put') return;
  const { entry, content } = change.finding;
  if (content.kind === 'document') texts.insert(number, entry, content.document);
}

function writeRow({ change, action, number, before }: Planned, rows: IndexRows): StoredItem | undefined {
  if (action === 'none') return before;
  if (action !== 'remove' && change.kind === 'put') {
    return action === 'put' ? rows.put(number, change.finding) : rows.restamp(change.finding);
  }
  if (before !== undefined) rows.remove(before);
  return undefined;
}
