import type { TreeLine } from './tree-rows.ts';
import type { TreeState } from './tree-state.ts';

/** What a key does in the tree. */
export type TreeMove =
  | { readonly type: 'go'; readonly to: number }
  | { readonly type: 'open'; readonly id: string }
  | { readonly type: 'close'; readonly id: string }
  | { readonly type: 'show'; readonly id: string };

/** The tree as keys see it; with a filter nothing in it opens. `at`: the active line; `page`: lines on the screen. */
export type TreeFocus = Pick<TreeState, 'threads' | 'expanded' | 'filter'> & {
  readonly lines: readonly TreeLine[];
  readonly at: number;
  readonly page: number;
};

/** A key as it is pressed. */
export type PressedKey = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>;

/** The keys of a treegrid (ARIA authoring practices); undefined: the key means nothing here. */
export function treeMove({ key, ctrlKey, metaKey, altKey }: PressedKey, focus: TreeFocus): TreeMove | undefined {
  // That is the browser's, as Alt+← is, which goes back.
  if (ctrlKey || metaKey || altKey) return undefined;
  const { lines, at, page } = focus;
  switch (key) {
    case 'ArrowDown':
      return go(at + 1, lines);
    case 'ArrowUp':
      return go(at - 1, lines);
    case 'PageDown':
      return go(at + page, lines);
    case 'PageUp':
      return go(at - page, lines);
    case 'Home':
      return go(0, lines);
    case 'End':
      return go(lines.length - 1, lines);
    case 'ArrowRight':
      return inwards(focus);
    case 'ArrowLeft':
      return outwards(focus);
    case 'Enter':
    case ' ':
      return show(lines[at]);
    default:
      return undefined;
  }
}

function go(to: number, lines: readonly TreeLine[]): TreeMove {
  return { type: 'go', to: Math.min(Math.max(0, to), Math.max(0, lines.length - 1)) };
}

/** Opens what is closed, else goes to its first child. */
function inwards({ lines, at, threads, expanded, filter }: TreeFocus): TreeMove | undefined {
  const line = lines[at];
  const isParent = line?.kind === 'thread' && (threads.get(line.id)?.children ?? 0) > 0;
  if (!isParent || filter.length > 0) return undefined;
  return expanded.has(line.id) ? go(at + 1, lines) : { type: 'open', id: line.id };
}

/** Closes what is open, else goes to its parent. */
function outwards({ lines, at, expanded }: TreeFocus): TreeMove | undefined {
  const line = lines[at];
  if (!line) return undefined;
  if (line.kind === 'thread' && expanded.has(line.id)) return { type: 'close', id: line.id };
  const parent = lines.slice(0, at).findLastIndex((one) => one.kind === 'thread' && one.depth === line.depth - 1);
  return parent === -1 ? undefined : { type: 'go', to: parent };
}

function show(line: TreeLine | undefined): TreeMove | undefined {
  return line?.kind === 'thread' ? { type: 'show', id: line.id } : undefined;
}
