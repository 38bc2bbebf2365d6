import type { FileContext, TierAssignment, TierItem } from '../core/assembly.ts';
import { TIER_KEYS } from '../core/assembly.ts';
import type { Message } from '../core/conversation.ts';
import type { Gathered } from '../prompt/tiers/assemble-gather.ts';
import { assembleRequest } from '../prompt/tiers/assemble-request.ts';
import { urlBlocks } from '../prompt/tiers/blocks.ts';
import { tierLayout } from '../prompt/tiers/policy-by-name.ts';
import { joinTexts } from '../prompt/join-texts.ts';
import { estimateMessageTokens } from '../providers/pricing.ts';
import { eventsOf, seenOf } from './assembly-events.ts';
import { splitConversation } from './assembly-history.ts';
import type { AssemblySession } from './assembly-session.ts';
import { setSize } from './context-size.ts';
import type { InWorker } from './conversation.ts';
import type { Thread } from './thread.ts';

/** Lays the next request of a thread out, and counts it. Where things stand is on disk before it is sent. */
export function layOutRequest({ thread, services }: InWorker, review: string): Laid {
  const { assembly: session, plan, messages } = thread;
  if (!session) throw new Error('A request is laid out without a session');
  const { prompts, symbols } = services.assembly;
  const index = symbols.index();
  const { history, open, prompt } = splitConversation(messages, session);
  const files = asOfNow(session.files);
  const sources = { files, symbols: index, history: { messages: () => history } };
  const items = session.gatherer.items(sources);
  const shown = { items, texts: textsOf(files) };
  const now = services.clock.now();
  const assignment = session.policy.assign(items, eventsOf(thread, session, { ...shown, now }));
  const gathered = session.gatherer.gather(assignment, sources);
  const around = {
    systemPrompt: joinTexts([prompts.system(), thread.system]),
    urlContext: urlBlocks([...session.pages].map(([url, content]) => ({ url, content }))),
    reviewContext: review,
    ...(prompt !== undefined && { userPrompt: prompt, systemReminder: prompts.reminder() }),
  };
  session.request = assembleRequest({
    ...gathered,
    ...around,
    activeHistory: [...gathered.activeHistory, ...open],
    cacheLimits: services.cacheLimits(plan.model),
    marksTail: tierLayout(session.policyName).marksTail,
    countTokens: plan.model.counter.count,
  });
  session.events = [];
  session.last = { at: now, model: plan.model.reference, turns: thread.turns };
  session.seen = seenOf(shown, thread);
  const rest = [...Object.values(around), gathered.symbolLegend, gathered.fileTree];
  const laid = { items, assignment, gathered };
  setSize(thread, countItems(laid) + countRest(thread, rest, open));
  thread.checkpointDue = true;
  return laid;
}

/** Files as they are while one request is laid out: each is read once. */
function asOfNow(files: AssemblySession['files']): FileContext {
  const texts = new Map<string, string | undefined>();
  return {
    selected: () => files.selected(),
    tree: () => files.tree(),
    content(path) {
      if (!texts.has(path)) texts.set(path, files.content(path));
      return texts.get(path);
    },
  };
}

function textsOf(files: FileContext): ReadonlyMap<string, string> {
  return new Map(files.selected().map((path) => [path, files.content(path) ?? '']));
}

/** What stands where. */
export type Laid = {
  readonly items: readonly TierItem[];
  readonly assignment: TierAssignment;
  readonly gathered: Gathered;
};

/** Tokens of what stands in tiers, and of the items that stand in none: each was counted when it was new. */
function countItems({ items, assignment, gathered }: Laid): number {
  const placed = new Set(TIER_KEYS.flatMap((key) => assignment.tiers[key]));
  const inTiers = TIER_KEYS.reduce((sum, key) => sum + (gathered.tieredContent[key].tokens ?? 0), 0);
  return items.reduce((sum, { key, tokens }) => sum + (placed.has(key) ? 0 : tokens), inTiers);
}

function countRest({ plan }: Thread, texts: readonly string[], open: readonly Message[]): number {
  const { count } = plan.model.counter;
  const said = open.reduce((sum, message) => sum + estimateMessageTokens(message, count), plan.paletteTokens);
  return texts.reduce((sum, text) => sum + count(text), said);
}
