import type { LevelTotals } from '../../api.ts';
import { readingOf, topOf, type Level, type TreeState } from './tree-state.ts';

/** A line of the tree. `position` and `size` count from 1 within its level; `depth` from 1. */
export type TreeLine =
  | {
      readonly kind: 'thread';
      readonly id: string;
      readonly depth: number;
      readonly position: number;
      readonly size: number;
    }
  /** What a large level comes to, before its threads. */
  | { readonly kind: 'totals'; readonly id: string; readonly depth: number; readonly totals: LevelTotals }
  /** There is more to read of a level; drawn means wanted. */
  | {
      readonly kind: 'more';
      readonly id: string;
      readonly depth: number;
      readonly left: number;
      readonly level: Level;
    };

/** From so many threads on, a level says what it comes to. */
const LARGE = 20;

/** The open part of the tree, from top to bottom. */
export function treeLines({ levels, expanded, filter }: Pick<TreeState, 'levels' | 'expanded' | 'filter'>): TreeLine[] {
  const lines: TreeLine[] = [];
  const add = (parent: string, depth: number): void => {
    const level = levels.get(parent);
    if (!level) return;
    const { ids, totals } = level;
    const size = Math.max(totals ? countOf(totals, filter) : 0, ids.length);
    if (totals && depth > 1 && totals.threads >= LARGE) lines.push({ kind: 'totals', id: parent, depth, totals });
    for (const [at, id] of ids.entries()) {
      lines.push({ kind: 'thread', id, depth, position: at + 1, size });
      if (expanded.has(id)) add(id, depth + 1);
    }
    if (level.next !== undefined || readingOf(level) !== 'no') {
      lines.push({ kind: 'more', id: parent, depth, left: Math.max(0, size - ids.length), level });
    }
  };
  add(topOf({ filter }), 1);
  return lines;
}

function countOf({ threads, counts }: LevelTotals, filter: TreeState['filter']): number {
  return filter.length === 0 ? threads : filter.reduce((sum, status) => sum + (counts[status] ?? 0), 0);
}

/** What says which levels are open. */
export type ShownTree = Pick<TreeState, 'levels' | 'expanded' | 'threads' | 'filter'>;

/** Parents whose children are shown: those that are followed, and the others. */
export type OpenLevels = { readonly followed: readonly string[]; readonly others: readonly string[] };

/** Of the open levels the first is followed, and those that were opened last: at most so many. */
export function openLevels(tree: ShownTree, most: number): OpenLevels {
  const open = [...tree.expanded].filter((parent) => tree.levels.has(parent) && isDrawn(tree, parent));
  const left = Math.max(0, open.length + 1 - most);
  return { followed: [topOf(tree), ...open.slice(left)], others: open.slice(0, left) };
}

/** All those above it are open as well. */
function isDrawn({ threads, expanded }: ShownTree, id: string): boolean {
  for (let above = threads.get(id)?.parent; above !== undefined; above = threads.get(above)?.parent) {
    if (!expanded.has(above)) return false;
  }
  return true;
}
