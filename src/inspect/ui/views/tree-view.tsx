import type { VNode } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { treeMove } from '../model/tree-keys.ts';
import { treeLines, type TreeLine } from '../model/tree-rows.ts';
import { scrollToRow, visibleRows } from '../model/virtual-window.ts';
import { useNarrow } from '../parts/use-narrow.ts';
import { useNow } from '../parts/use-now.ts';
import { goTo } from '../parts/use-route.ts';
import { useViewport } from '../parts/use-viewport.ts';
import { useDashboard, usePage } from './context.ts';
import { TreeEmpty } from './tree-empty.tsx';
import { TreeFilter } from './tree-filter.tsx';
import { lineId, TreeRow } from './tree-row.tsx';

/** Heights of a row and of what stands above the rows, as in the style sheets. */
const ROW = { wide: { row: 28, head: 27 }, narrow: { row: 48, head: 0 } } as const;

/** More rows than any screen shows: a row that leaves the window comes in again at the other end, as another one. */
const POOL = 256;

const COLUMNS = ['name', 'state', 'turns', 'tokens', 'spend', 'time'] as const;

/** The tree of threads. Only the rows that can be seen exist, so that it does not matter how many there are. */
export function TreeView({ selected }: { readonly selected: string | undefined }): VNode {
  const dashboard = useDashboard();
  const tree = usePage((state) => state.tree);
  const lines = useMemo(() => treeLines(tree), [tree.levels, tree.expanded]);
  const { row: rowHeight, head } = useNarrow() ? ROW.narrow : ROW.wide;
  const { ref, scrollTop, height } = useViewport();
  const { at, selectedAt, activate } = useActiveLine(lines, selected);
  const nowMs = useNow();
  const view = { scrollTop, height, rowHeight };
  const { first, end } = visibleRows(lines.length, view);
  const show = (id: string): void => goTo({ view: 'thread', id, tab: 'machine' });
  const toggle = (id: string): void => dashboard.tree.expand(id, !tree.expanded.has(id));

  const pressed = (event: KeyboardEvent): void => {
    // A button in a row does what it says.
    if (event.target instanceof HTMLButtonElement && (event.key === 'Enter' || event.key === ' ')) return;
    const page = Math.max(1, Math.floor(height / rowHeight) - 1);
    const move = treeMove(event, { ...tree, lines, at, page });
    if (!move) return;
    event.preventDefault();
    event.stopPropagation();
    if (move.type === 'show') return show(move.id);
    if (move.type !== 'go') return toggle(move.id);
    activate(lines[move.to]);
    ref.current?.scrollTo({ top: scrollToRow(move.to, view, head) });
  };

  return (
    <>
      <TreeFilter />
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
        <Head />
        <div class="tree-length" role="presentation" style={{ height: `${lines.length * rowHeight}px` }}>
          {lines.slice(first, end).map((line, offset) => (
            <TreeRow
              key={(first + offset) % POOL}
              line={line}
              thread={line.kind === 'thread' ? tree.threads.get(line.id) : undefined}
              open={tree.filter.length === 0 ? tree.expanded.has(line.id) : undefined}
              nowMs={nowMs}
              index={first + offset}
              top={(first + offset) * rowHeight}
              isActive={first + offset === at}
              isSelected={first + offset === selectedAt}
              onShow={show}
              onToggle={toggle}
            />
          ))}
        </div>
        {lines.length === 0 && <TreeEmpty />}
      </div>
    </>
  );
}

/** Where the keys are: on the line they went to since this thread is shown, else on the thread itself, else at the top. */
function useActiveLine(lines: readonly TreeLine[], selected: string | undefined) {
  const [went, setWent] = useState<{ readonly to: TreeLine | undefined; readonly beside: string | undefined }>();
  const active = went?.beside === selected ? went?.to : undefined;
  const [selectedAt, activeAt] = useMemo(
    () => [
      lines.findIndex(({ kind, id }) => kind === 'thread' && id === selected),
      lines.findIndex(({ kind, id }) => kind === active?.kind && id === active.id),
    ],
    [lines, active, selected],
  );
  const activate = (to: TreeLine | undefined): void => setWent({ to, beside: selected });
  return { at: Math.max(0, activeAt === -1 ? selectedAt : activeAt), selectedAt, activate };
}

function Head(): VNode {
  return (
    <div class="tree-head" role="row">
      {COLUMNS.map((name) => (
        <span key={name} role="columnheader" class={`cell-${name}`}>
          {name === 'name' ? 'thread' : name}
        </span>
      ))}
    </div>
  );
}
