import type { VNode } from 'preact';
import { useEffect, useMemo, useState } from 'preact/hooks';
import { treeMove } from '../model/tree-keys.ts';
import { treeLines } from '../model/tree-rows.ts';
import { scrollToRow, visibleRows } from '../model/virtual-window.ts';
import { useNarrow } from '../parts/use-narrow.ts';
import { goTo } from '../parts/use-route.ts';
import { useViewport } from '../parts/use-viewport.ts';
import { useDashboard, usePage } from './context.ts';
import { TreeFilter } from './tree-filter.tsx';
import { lineId, TreeRow } from './tree-row.tsx';

/** Height of a row, as in the style sheet. */
const ROW = { wide: 28, narrow: 48 } as const;

/** The tree of threads. Only the rows that can be seen exist, so that it does not matter how many there are. */
export function TreeView({ selected }: { readonly selected: string | undefined }): VNode {
  const dashboard = useDashboard();
  const tree = usePage((state) => state.tree);
  const lines = useMemo(() => treeLines(tree), [tree.levels, tree.expanded]);
  const rowHeight = useNarrow() ? ROW.narrow : ROW.wide;
  const { ref, scrollTop, height } = useViewport();
  const [active, setActive] = useState<string | undefined>(undefined);
  const selectedAt = selected === undefined ? -1 : lines.findIndex(({ kind, id }) => kind === 'thread' && id === selected);
  const activeAt = lines.findIndex((line) => lineId(line) === active);
  const at = Math.max(0, activeAt === -1 ? selectedAt : activeAt);
  const view = { scrollTop, height, rowHeight };
  const { first, end } = visibleRows(lines.length, view);
  const show = (id: string): void => goTo({ view: 'thread', id, tab: 'machine' });
  const toggle = (id: string): void => dashboard.tree.expand(id, !tree.expanded.has(id));

  const pressed = (event: KeyboardEvent): void => {
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const move = treeMove(event.key, { lines, at, page, threads: tree.threads, expanded: tree.expanded });
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    if (move.type === 'show') return show(move.id);
    if (move.type !== 'go') return toggle(move.id);
    const line = lines[move.to];
    setActive(line && lineId(line));
    ref.current?.scrollTo({ top: scrollToRow(move.to, view) });
  };
  useEffect(() => setActive(undefined), [selected]);

  return (
    <>
      <TreeFilter />
      <div class="tree-head" aria-hidden="true">
        <span class="cell-name">Thread</span>
        <span class="cell-state">State</span>
        <span class="cell-number">Turns</span>
        <span class="cell-number">Tokens</span>
        <span class="cell-number">Spend</span>
        <span class="cell-number">Time</span>
      </div>
      <div
        ref={ref}
        class="tree"
        role="treegrid"
        aria-label="Threads"
        aria-rowcount={lines.length}
        tabIndex={0}
        onKeyDown={pressed}
        {...(lines[at] && { 'aria-activedescendant': lineId(lines[at]) })}
      >
        <div class="tree-length" role="presentation" style={{ height: `${lines.length * rowHeight}px` }}>
          {lines.slice(first, end).map((line, offset) => (
            <TreeRow
              key={lineId(line)}
              line={line}
              index={first + offset}
              top={(first + offset) * rowHeight}
              isActive={first + offset === at}
              isSelected={first + offset === selectedAt}
              onShow={show}
              onToggle={toggle}
            />
          ))}
        </div>
        {lines.length === 0 && <p class="quiet tree-empty">No threads{tree.filter.length > 0 && ' that stand so'}.</p>}
      </div>
    </>
  );
}
