import { TIER_KEYS, type FileContext, type TierAssignment, type TierEvent } from '../../core/assembly.ts';
import type { Gathered } from '../../prompt/tiers/assemble-gather.ts';
import { assembleRequest } from '../../prompt/tiers/assemble-request.ts';
import { urlBlocks } from '../../prompt/tiers/blocks.ts';
import { tierLayout } from '../../prompt/tiers/policy-by-name.ts';
import type { KeptRequest } from '../../prompt/tiers/reach.ts';
import { joinTexts } from '../../prompt/join-texts.ts';
import { policyEvents, seenOf } from './assembly-events.ts';
import { splitConversation } from './assembly-history.ts';
import type { AssemblySession } from './assembly-session.ts';
import { fullShare, setSize } from '../conversation/context-size.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { takeWhatFits } from './take-what-fits.ts';

/** Lays the next request of a thread out, and counts it. Where things stand is on disk before it is sent. */
export function layOutRequest({ thread, services }: InWorker, review: string): Laid {
  const { assembly: session, plan, messages } = thread;
  if (!session) throw new Error('A request is laid out without a session');
  const { prompts } = services.assembly;
  const split = splitConversation(messages, session);
  const { prompt } = split;
  const around = { urlContext: pagesText(session.pages), reviewContext: review };
  const now = services.clock.now();
  const systemPrompt = joinTexts([prompts.system(), thread.system]);
  const measured = takeWhatFits({ thread, services }, session, { split, systemPrompt, texts: Object.values(around) });
  const { files, sources, items, headTokens, counted } = measured;
  const shown = { items, texts: textsOf(files) };
  const events = policyEvents(thread, session, { ...shown, now });
  const assignment = session.policy.assign(items, events, { headTokens });
  const gathered = session.gatherer.gather(assignment, sources);
  const said = prompt && { userPrompt: prompt.text, userParts: prompt.parts, systemReminder: prompts.reminder() };
  // In a log the list of files is an item.
  const listTokens = gathered.fileTree === '' ? 0 : counted.list;
  const tailTokens = gathered.activeTokens + listTokens + counted.around + counted.open;
  const promptTokens = counted.prompt + (said ? plan.model.counter.count(said.systemReminder) : 0);
  session.request = assembleRequest({
    ...gathered,
    ...around,
    ...said,
    systemPrompt,
    headTokens,
    tailTokens,
    activeHistory: [...gathered.activeHistory, ...split.open],
    cacheLimits: services.cacheLimits(plan.model),
    marksTail: tierLayout(session.policyName).marksTail,
    before: keptBefore(session, events),
  });
  session.kept = session.request;
  session.parts = measured.parts;
  session.events = [];
  session.last = { at: now, model: plan.model.reference, turns: thread.turns };
  session.seen = seenOf(shown, thread);
  setSize(thread, headTokens + tierTokens(gathered) + tailTokens + promptTokens);
  session.hadRoom ||= thread.contextTokens < fullShare(services.config) * plan.model.contextWindow;
  thread.checkpointDue = true;
  return { assignment, gathered };
}

/** Nothing is in a cold cache. Where a summary has moved all that follows it, places are told by their texts, which a restart forgets. */
function keptBefore({ kept }: AssemblySession, events: readonly TierEvent[]): KeptRequest | undefined {
  const isMoved = kept?.messages === undefined && events.some(({ kind }) => kind === 'history_replaced');
  return isMoved || events.some(({ kind }) => kind === 'cache_cold') ? undefined : kept;
}

/** The URL stands beside the title: it is what a page is dropped by. */
function pagesText(pages: AssemblySession['pages']): string {
  const titled = (url: string, title?: string): string => (title === undefined ? url : `${title} (${url})`);
  return urlBlocks([...pages].map(([url, { title, content }]) => ({ url, title: titled(url, title), content })));
}

function textsOf(files: FileContext): ReadonlyMap<string, string> {
  return new Map(files.selected().map((path) => [path, files.content(path) ?? '']));
}

/** What stands where. */
export type Laid = {
  readonly assignment: TierAssignment;
  readonly gathered: Gathered;
};

function tierTokens({ tieredContent }: Gathered): number {
  return TIER_KEYS.reduce((sum, key) => sum + (tieredContent[key].tokens ?? 0), 0);
}
