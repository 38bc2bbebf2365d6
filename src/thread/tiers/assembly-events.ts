import type { ItemKey, TierEvent, TierItem } from '../../core/assembly.ts';
import { editsSaid } from './assembly-edits.ts';
import type { AssemblySession, Seen } from './assembly-session.ts';
import type { Thread } from '../thread.ts';

/** How long a provider's cache keeps what is not asked for again, ms: Anthropic's shortest retention. */
const CACHE_KEPT_MS = 5 * 60_000;

/** What the next request will show. */
export type Shown = { readonly items: readonly TierItem[]; readonly texts: ReadonlyMap<string, string> };

/** What the policy of a session is told before it lays the next request out. */
export function policyEvents(
  thread: Thread,
  session: AssemblySession,
  shown: Shown & { readonly now: number },
): TierEvent[] {
  const { last, seen } = session;
  const isCold = last && (shown.now - last.at > CACHE_KEPT_MS || last.model !== thread.plan.model.reference);
  return [
    ...(last && thread.turns > last.turns ? [{ kind: 'turn_ended' } as const] : []),
    ...session.events,
    ...(seen ? editEvents(thread, session, { seen, shown }) : []),
    ...(isCold ? [{ kind: 'cache_cold' } as const] : []),
  ];
}

/**
 * Which of the blocks that were shown are others now. A policy that writes a log takes an edit for said: it hears only of those
 * that the conversation says.
 */
function editEvents(
  { messages, plan }: Thread,
  { policyName }: AssemblySession,
  { seen, shown }: { readonly seen: Seen; readonly shown: Shown },
): TierEvent[] {
  const changed = shown.items.filter(({ key, hash }) => (seen.hashes.get(key) ?? hash) !== hash).map(({ key }) => key);
  if (changed.length === 0) return [];
  if (policyName !== 'append-only') return changed.map((key) => ({ kind: 'edited', key }));
  const search = { messages, since: seen.message, names: plan.palette };
  const said = editsSaid(search, seen.texts, shown.texts);
  return changed.filter((key) => said.has(fileOf(key))).map((key) => ({ kind: 'edited', key }));
}

function fileOf(key: ItemKey): string {
  return key.startsWith('file:') ? key.slice('file:'.length) : '';
}

/** Remembers what a request shows. History is left out: a message never changes. */
export function seenOf({ items, texts }: Shown, { messages }: Thread): Seen {
  const blocks = items.filter(({ key }) => !key.startsWith('history:'));
  return { hashes: new Map(blocks.map(({ key, hash }) => [key, hash])), texts, message: messages.at(-1) };
}
