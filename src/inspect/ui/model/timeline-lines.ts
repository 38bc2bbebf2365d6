import type { TimelineAnswer, TimelineRow, TimelineSpan, TimelineSummary } from '../../api.ts';

/** A line of a timeline. */
export type TimelineLine =
  | { readonly kind: 'thread'; readonly row: TimelineRow }
  | { readonly kind: 'summary'; readonly summary: TimelineSummary };

/** Every thread with those below it after it, and after these what was left out of its children. */
export function timelineLines({ rows, summaries }: Pick<TimelineAnswer, 'rows' | 'summaries'>): TimelineLine[] {
  const known = new Set(rows.map(({ id }) => id));
  const childrenOf = Map.groupBy(rows, ({ parent }) => (parent !== undefined && known.has(parent) ? parent : ''));
  const restOf = new Map(summaries.map((summary) => [summary.parent, summary]));
  const below = (parent: string): TimelineLine[] => {
    const summary = restOf.get(parent);
    const lines = (childrenOf.get(parent) ?? []).flatMap((row) => [
      { kind: 'thread', row } satisfies TimelineLine,
      ...below(row.id),
    ]);
    return summary ? [...lines, { kind: 'summary', summary }] : lines;
  };
  return below('');
}

/** A piece of a thread's line; `unread`: nobody has looked what it did then. */
export type TimelinePiece = Omit<TimelineSpan, 'state'> & { readonly state: TimelineSpan['state'] | 'unread' };

/** What is drawn of a thread that has not ended before `now`. */
export function piecesOf({ spans, unread, start_ms: start, end_ms: end }: TimelineRow, now: number): TimelinePiece[] {
  const from = spans.at(-1)?.to_ms ?? start;
  return unread ? [...spans, { state: 'unread', from_ms: from, to_ms: end ?? now }] : [...spans];
}
