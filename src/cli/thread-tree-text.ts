import { formatUsd, usdToNano } from '../core/money.ts';
import { formatCount, plural } from './format.ts';
import type { Terminal } from './io.ts';
import { printable } from './printable.ts';
import type { CountedThreads, ThreadTree } from './thread-tree.ts';
import { fitted } from './write-out.ts';

/** A tree for a person at a terminal, a line for each thread with its whole id; without a line break at its end. */
export function threadTreeText(tree: ThreadTree, terminal: Terminal): string {
  return linesOf(tree, { first: '', next: '' })
    .map(({ text, id }) => fitted(text, terminal, id))
    .join('\n');
}

/** What may be cut of a line, and what may not. */
type Line = { readonly text: string; readonly id?: string };

/** What a thread's line begins with, and those below it. */
type Margin = { readonly first: string; readonly next: string };

function linesOf(tree: ThreadTree, { first, next }: Margin): readonly Line[] {
  const { thread_id: id, directive, status, cost, children, more } = tree;
  const facts = [status, plural(cost.turns, 'turn'), formatUsd(usdToNano(cost.spend))].join(' · ');
  const below = children.flatMap((child, at) => {
    const isLast = at === children.length - 1 && more === undefined;
    return linesOf(child, { first: `${next}${isLast ? '└ ' : '├ '}`, next: `${next}${isLast ? '  ' : '│ '}` });
  });
  const others = more === undefined ? [] : [{ text: `${next}└ ${moreText(more, children.length > 0)}` }];
  return [{ text: `${first}${printable(directive)}  ${facts}`, id: `  ${printable(id)}` }, ...below, ...others];
}

function moreText({ threads, statuses, turns: count, spend }: CountedThreads, areOthers: boolean): string {
  const states = Object.entries(statuses).map(([status, number]) => `${formatCount(number)} ${status}`);
  const facts = [states.join(', '), plural(count, 'turn'), formatUsd(usdToNano(spend))].join(' · ');
  const what = areOthers ? 'more' : threads === 1 ? 'thread' : 'threads';
  return `${formatCount(threads)} ${what}: ${facts}`;
}
