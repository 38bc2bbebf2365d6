import { SkeinError, toFailure } from '../core/errors.ts';
import type { ToolItem } from '../core/item.ts';
import { isChainLink } from '../items/chain-link.ts';

/** What chains end in, by item id. Each is done by code, so the set is closed. */
const PRIMITIVES = {
  'rye/core/primitives/subprocess': 'subprocess',
  'rye/core/primitives/http_client': 'http_client',
  'rye/core/primitives/thread': 'thread',
} as const;
/** A primitive: starts a process, sends a request, or is carried out by the thread that calls. */
export type Primitive = (typeof PRIMITIVES)[keyof typeof PRIMITIVES];

/** How a tool is run (S2 §1): by its runtime, which is run by another, and in the end by a primitive. */
export type Chain = {
  /** The tool first, the primitive last. */
  readonly links: readonly [ToolItem, ...ToolItem[]];
  readonly primitive: Primitive;
};

/** Finds an item by id, in one space if that is said; throws a SkeinError when there is none, or it may not be used. */
export type ToolLookup = (id: string) => ToolItem;

const THREAD: keyof typeof PRIMITIVES = 'rye/core/primitives/thread';
const MAX_LINKS = 10;

/**
 * Follows a tool's executors to its primitive: at most 10 links, each found through `lookup`.
 *
 * @throws SkeinError `invalid_item` when the chain is circular, too long, or has a link that cannot stand where it does;
 * what `lookup` throws, such as `item_not_found`, with the chain in its message. `detail` is `{reason, chain}`.
 */
export function resolveChain(tool: ToolItem, lookup: ToolLookup): Chain {
  const links: [ToolItem, ...ToolItem[]] = [tool];
  if (isChainLink(tool)) throw broken(links, 'not_a_tool', `is a ${tool.toolType}: it runs tools and is none itself`);
  for (let last = tool; last.toolType !== 'primitive';) {
    if (links.length === MAX_LINKS) throw broken(links, 'too_long', `has more than ${MAX_LINKS} links`);
    last = nextLink(links, last, lookup);
    links.push(last);
  }
  return { links, primitive: primitiveOf(links) };
}

/** Whether an item is a tool that may be offered: no part of how tools are run, and not carried out by Skein itself. */
export function isCallable(item: ToolItem): boolean {
  return !isChainLink(item) && item.executorId !== THREAD;
}

function nextLink(links: readonly ToolItem[], { id, executorId: next }: ToolItem, lookup: ToolLookup): ToolItem {
  if (next === '') throw broken(links, 'no_executor', `ends at ${id}, which names no executor_id`);
  if (links.some((link) => link.id === next)) throw broken(links, 'cycle', `comes back to ${next}`);
  const link = found(links, next, lookup);
  if (!isChainLink(link))
    throw broken(links, 'not_a_runtime', `leads to ${next}, which is no runtime and no primitive`);
  return link;
}

function found(links: readonly ToolItem[], id: string, lookup: ToolLookup): ToolItem {
  try {
    return lookup(id);
  } catch (cause) {
    const { code, message, where } = toFailure(cause);
    throw new SkeinError(code, `the executor ${id} of ${written(links)} cannot be used: ${message}`, {
      cause,
      detail: { reason: 'missing_link', chain: [...links.map((link) => link.id), id] },
      where,
    });
  }
}

function primitiveOf(links: readonly ToolItem[]): Primitive {
  const id = links.at(-1)?.id ?? '';
  // Compared with the names of the closed set, so that `constructor` and the like are none.
  const primitive = Object.entries(PRIMITIVES).find(([known]) => known === id)?.[1];
  if (primitive !== undefined) return primitive;
  const known = Object.keys(PRIMITIVES).join(', ');
  throw broken(links, 'unknown_primitive', `ends in ${id}, which is no primitive of Skein; there are ${known}`);
}

function broken(links: readonly ToolItem[], reason: string, message: string): SkeinError {
  const last = links.at(-1);
  return new SkeinError('invalid_item', `the execution chain ${written(links)} ${message}`, {
    detail: { reason, chain: links.map(({ id }) => id) },
    ...(last && { where: { file: last.file } }),
  });
}

function written(links: readonly ToolItem[]): string {
  return links.map(({ id }) => id).join(' → ');
}
