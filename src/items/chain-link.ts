import type { ToolItem } from '../core/item.ts';

/** Whether an item is a link of execution chains: runtimes and primitives run tools and are none themselves. */
export function isChainLink({ toolType }: ToolItem): boolean {
  return toolType === 'runtime' || toolType === 'primitive';
}
