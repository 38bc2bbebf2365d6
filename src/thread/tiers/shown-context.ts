import type { ContextChange, ShownPage } from '../../core/context-change.ts';
import { decodeEvents } from '../../core/events.ts';

/** What a thread in tiers shows its model beside the conversation, as its log tells it. */
export type ShownContext = {
  /** Paths of the files, in the order in which they were selected. */
  readonly selected: Set<string>;
  /** Web pages by URL, in the order in which they were fetched. */
  readonly pages: Map<string, ShownPage>;
  /** The commit before the changes under review. */
  review: string | undefined;
};

/** What the log says of it beyond that. */
export type LoggedContext = ShownContext & {
  /** Changes after an event. */
  readonly later: readonly ContextChange[];
  /** Summaries that have taken the place of messages, and how many messages there are less. */
  readonly summaries: number;
  readonly removed: number;
};

/** Nothing but the conversation. */
function noContext(): ShownContext {
  return { selected: new Set(), pages: new Map(), review: undefined };
}

/** Applies a change. */
function changeContext(shown: ShownContext, change: ContextChange): void {
  for (const path of change.selected ?? []) shown.selected.add(path);
  for (const path of change.dropped ?? []) shown.selected.delete(path);
  if (change.fetched) showPage(shown.pages, change.fetched);
  for (const url of change.forgotten ?? []) shown.pages.delete(url);
  if (change.review !== undefined) shown.review = change.review?.base;
}

/** Shows a page that was fetched, in the place where it stood if it was there. */
export function showPage(pages: ShownContext['pages'], fetched: NonNullable<ContextChange['fetched']>): void {
  const { url, ...page } = fetched;
  pages.set(url, page);
}

/** The changes that lead to it from nothing. */
export function wholeContext({ selected, pages, review }: ShownContext): readonly ContextChange[] {
  return [
    ...(selected.size > 0 ? [{ selected: [...selected] }] : []),
    ...[...pages].map(([url, page]) => ({ fetched: { url, ...page } })),
    ...(review === undefined ? [] : [{ review: { base: review } }]),
  ];
}

/** Folds a thread's events. `after`: the last event that a checkpoint knows of. Costs one look for a log that has none. */
export function loggedContext(lines: string, after = 0): LoggedContext {
  const shown = noContext();
  const later: ContextChange[] = [];
  let summaries = 0;
  let removed = 0;
  if (!lines.includes(CHANGED) && !lines.includes(COMPACTED)) return { ...shown, later, summaries, removed };
  for (const event of decodeEvents(lines)) {
    if (event.event_type === 'context_changed') {
      changeContext(shown, event.payload);
      if (event.sequence > after) later.push(event.payload);
    }
    if (event.event_type === 'context_compacted') {
      summaries += 1;
      removed += event.payload.replaced - 1;
    }
  }
  return { ...shown, later, summaries, removed };
}

/** Quotes within texts are escaped. */
const CHANGED = '"event_type":"context_changed"';
const COMPACTED = '"event_type":"context_compacted"';
