/** What is to be seen of a long list of rows of one height; lengths in CSS pixels. */
export type Viewport = { readonly scrollTop: number; readonly height: number; readonly rowHeight: number };

/** Rows `[first, end)` of a list. */
export type RowRange = { readonly first: number; readonly end: number };

/** Rows beyond both edges that are there as well, so that scrolling by a wheel's step shows no gap. */
const OVERSCAN = 8;

/** Which of `count` rows have to exist for a viewport. */
export function visibleRows(count: number, { scrollTop, height, rowHeight }: Viewport): RowRange {
  const top = Math.floor(Math.max(0, scrollTop) / rowHeight);
  const seen = Math.ceil(height / rowHeight) + 1;
  const first = Math.min(Math.max(0, top - OVERSCAN), Math.max(0, count - 1));
  return { first, end: Math.min(count, top + seen + OVERSCAN) };
}

/** Where to scroll so that a row is seen in full below `header` pixels; as it is, if it is seen already. */
export function scrollToRow(row: number, view: Viewport, header = 0): number {
  const top = row * view.rowHeight;
  if (top < view.scrollTop) return top;
  const room = view.height - header;
  return top + view.rowHeight > view.scrollTop + room ? top + view.rowHeight - room : view.scrollTop;
}
