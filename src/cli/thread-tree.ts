import type { OperationResult } from '../core/operations.ts';
import { nanoToUsd, usdToNano } from '../core/money.ts';
import type { ProjectConnection, ThreadStatus } from '../index.ts';
import { resultOf } from './operation-answer.ts';

type Summary = OperationResult<'list_children'>['children'][number];

/** A thread with its children, as it is on the wire. */
export type ThreadTree = Summary & {
  /** Those that are shown one by one. */
  readonly children: readonly ThreadTree[];
  /** The others, if there are any; what is below them is not counted. */
  readonly more?: CountedThreads;
};

/** Threads by status, and what they have come to together: a thread that handed over with its successor, once. */
export type CountedThreads = {
  readonly threads: number;
  readonly statuses: Readonly<Partial<Record<ThreadStatus, number>>>;
  readonly turns: number;
  /** USD. */
  readonly spend: number;
};

/** How much of a tree is read one by one: levels below its root, and children of a thread. */
export type TreeBounds = { readonly depth: number; readonly width: number };

type Operations = Pick<ProjectConnection['orchestrator'], 'call'>;

/** Reads what is below a thread: a level of those that are shown after the other, a page at a time. */
export async function readThreadTree(
  { thread_id, directive, status, cost }: Summary,
  { depth, width }: TreeBounds,
  operations: Operations,
): Promise<ThreadTree> {
  const all = await childrenOf(thread_id, operations);
  const shown = new Set(depth === 0 ? [] : mostWanted(all, width));
  const children: ThreadTree[] = [];
  for (const child of shown) children.push(await readThreadTree(child, { depth: depth - 1, width }, operations));
  const others = all.filter((child) => !shown.has(child));
  return { thread_id, directive, status, cost, children, ...(others.length > 0 && { more: countThreads(others) }) };
}

const PAGE = 1_000;

async function childrenOf(id: string, operations: Operations): Promise<readonly Summary[]> {
  const all: Summary[] = [];
  for (let after: string | undefined, isMore = true; isMore;) {
    const page = resultOf(await operations.call('list_children', { thread_id: id, limit: PAGE, after }));
    all.push(...page.children);
    after = page.next;
    isMore = after !== undefined;
  }
  return all;
}

/** Whom a person looks for comes first. */
const RANKS: readonly ThreadStatus[] = [
  'running',
  'suspended',
  'created',
  'error',
  'cancelled',
  'continued',
  'completed',
];

/** The first by rank, in the order they were started. */
function mostWanted(all: readonly Summary[], width: number): readonly Summary[] {
  const wanted = new Set(RANKS.flatMap((rank) => all.filter(({ status }) => status === rank)).slice(0, width));
  return all.filter((child) => wanted.has(child));
}

function countThreads(threads: readonly Summary[]): CountedThreads {
  const statuses: Partial<Record<ThreadStatus, number>> = {};
  for (const { status } of threads) statuses[status] = (statuses[status] ?? 0) + 1;
  // What a thread came to that has handed over is in the count of its successor, which is among them (ADR 43).
  const counted = threads.filter(({ status }) => status !== 'continued');
  const turns = counted.reduce((sum, { cost }) => sum + cost.turns, 0);
  const spend = counted.reduce((sum, { cost }) => sum + usdToNano(cost.spend), 0);
  return { threads: threads.length, statuses, turns, spend: nanoToUsd(spend) };
}
