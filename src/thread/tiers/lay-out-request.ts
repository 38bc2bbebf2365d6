import type { FileContext, TierAssignment } from '../../core/assembly.ts';
import { TIER_KEYS } from '../../core/assembly.ts';
import type { Message } from '../../core/conversation.ts';
import type { Gathered } from '../../prompt/tiers/assemble-gather.ts';
import { assembleRequest, type TieredRequest } from '../../prompt/tiers/assemble-request.ts';
import { urlBlocks } from '../../prompt/tiers/blocks.ts';
import { tierLayout } from '../../prompt/tiers/policy-by-name.ts';
import { joinTexts } from '../../prompt/join-texts.ts';
import { estimateMediaTokens } from '../../providers/media-tokens.ts';
import { estimateMessageTokens } from '../../providers/pricing.ts';
import { eventsOf, seenOf } from './assembly-events.ts';
import { splitConversation } from './assembly-history.ts';
import type { AssemblySession } from './assembly-session.ts';
import { fullShare, setSize } from '../conversation/context-size.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { takeWhatFits } from './take-what-fits.ts';
import type { ThreadPlan } from '../plan/plan.ts';

/** Lays the next request of a thread out, and counts it. Where things stand is on disk before it is sent. */
export function layOutRequest({ thread, services }: InWorker, review: string): Laid {
  const { assembly: session, plan, messages } = thread;
  if (!session) throw new Error('A request is laid out without a session');
  const { prompts } = services.assembly;
  const split = splitConversation(messages, session);
  const { open, prompt } = split;
  const around = { urlContext: pagesText(session.pages), reviewContext: review };
  const now = services.clock.now();
  const systemPrompt = joinTexts([prompts.system(), thread.system]);
  const measured = takeWhatFits({ thread, services }, session, { split, systemPrompt, texts: Object.values(around) });
  const { files, sources, items, headTokens } = measured;
  const shown = { items, texts: textsOf(files) };
  const events = eventsOf(thread, session, { ...shown, now });
  const assignment = session.policy.assign(items, events, { headTokens });
  const gathered = session.gatherer.gather(assignment, sources);
  const said = prompt && { userPrompt: prompt.text, userParts: prompt.parts, systemReminder: prompts.reminder() };
  const tailTokens = countTail(plan, { gathered, open, around: Object.values(around) });
  session.request = assembleRequest({
    ...gathered,
    ...around,
    ...said,
    systemPrompt,
    headTokens,
    tailTokens,
    activeHistory: [...gathered.activeHistory, ...open],
    cacheLimits: services.cacheLimits(plan.model),
    marksTail: tierLayout(session.policyName).marksTail,
    before: events.some(({ kind }) => kind === 'cache_cold') ? undefined : session.kept,
  });
  session.kept = session.request;
  session.parts = measured.parts;
  session.events = [];
  session.last = { at: now, model: plan.model.reference, turns: thread.turns };
  session.seen = seenOf(shown, thread);
  setSize(thread, headTokens + tierTokens(gathered) + tailTokens + promptTokens(plan, said));
  session.hadRoom ||= thread.contextTokens < fullShare(services.config) * plan.model.contextWindow;
  thread.checkpointDue = true;
  return { assignment, gathered };
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

type Tail = { readonly gathered: Gathered; readonly open: readonly Message[]; readonly around: readonly string[] };

/** Tokens of what stands in no tier, the prompt left out. Items were counted when they were new. */
function countTail(plan: ThreadPlan, { gathered, open, around }: Tail): number {
  const { count } = plan.model.counter;
  const said = open.reduce((sum, message) => sum + estimateMessageTokens(message, count), gathered.activeTokens);
  return said + countTexts(plan, [gathered.fileTree, ...around]);
}

function tierTokens({ tieredContent }: Gathered): number {
  return TIER_KEYS.reduce((sum, key) => sum + (tieredContent[key].tokens ?? 0), 0);
}

/** What is said now and its reminder; images and files are counted as in flat threads. */
function promptTokens(
  plan: ThreadPlan,
  said: Pick<TieredRequest, 'userPrompt' | 'userParts' | 'systemReminder'> = {},
): number {
  const { userPrompt = '', userParts, systemReminder = '' } = said;
  return countTexts(plan, [userPrompt, systemReminder]) + estimateMediaTokens(userParts);
}

function countTexts({ model }: ThreadPlan, texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + model.counter.count(text), 0);
}
