import type { TokenCounter } from '../../core/assembly.ts';
import type { RenderedItem } from './assemble-items.ts';
import { fileTree, fileTreeChanges, listedPaths } from './blocks.ts';
import { FILE_TREE_CHANGES_HEADER, FILE_TREE_HEADER } from './headers.ts';
import { isTree } from './policy-keys.ts';

/** The key of the list of all files, where it is an item. */
export const TREE_KEY = 'tree:files';

/** The list of all files as an item's text. */
export function treeText(paths: readonly string[], isCut?: boolean): string {
  return FILE_TREE_HEADER + fileTree(paths, isCut);
}

/** Tiers in which the lists of files are what is sent of them: the first whole, each other as what has changed since the one before. */
export type TreeEntries = (tiers: readonly (readonly RenderedItem[])[]) => readonly (readonly RenderedItem[])[];

/** Makes {@link TreeEntries} of one session, which remembers what it was made of the tiers before: a change is rendered once. */
export function createTreeEntries(counter: TokenCounter): TreeEntries {
  let changes = new Map<string, RenderedItem>();
  return (tiers) => {
    const used = new Map<string, RenderedItem>();
    let before: RenderedItem | undefined;
    const show = (entry: RenderedItem): RenderedItem => {
      if (!isTree(entry.item.key)) return entry;
      const name = `${before?.item.hash} ${entry.item.hash}`;
      const shown = before ? (changes.get(name) ?? changed(before, entry, counter)) : entry;
      used.set(name, shown);
      before = entry;
      return shown;
    };
    const shown = tiers.map((entries) => entries.map(show));
    changes = used;
    return shown;
  };
}

function changed(before: RenderedItem, entry: RenderedItem, { count }: TokenCounter): RenderedItem {
  const text = FILE_TREE_CHANGES_HEADER + fileTreeChanges(listedPaths(before.text), listedPaths(entry.text));
  return { ...entry, item: { ...entry.item, tokens: count(text) }, text };
}
