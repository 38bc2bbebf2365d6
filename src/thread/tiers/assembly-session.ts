import { z } from 'zod';
import type { ItemKey, TierEvent, TierPolicy, TierPolicyName, TokenCounter } from '../../core/assembly.ts';
import type { ContextChange, ShownPage } from '../../core/context-change.ts';
import type { Message } from '../../core/conversation.ts';
import { createGatherer, type Gatherer } from '../../prompt/tiers/assemble-gather.ts';
import type { AssembledRequest } from '../../prompt/tiers/assemble-request.ts';
import type { KeptRequest } from '../../prompt/tiers/reach.ts';
import { createTierPolicy, tierLayout } from '../../prompt/tiers/policy-by-name.ts';
import { estimateMediaTokens } from '../../providers/media-tokens.ts';
import { createFileContext, type ProjectFiles } from '../../symbols/file-context.ts';
import type { Parts } from './measure-request.ts';
import { createProjectView, type ProjectView } from './project-view.ts';
import { loggedContext } from './shown-context.ts';
import type { Services } from '../services/services.ts';
import type { Thread } from '../thread.ts';

/**
 * A thread whose prompt stands in tiers.
 *
 * Owns: what is shown beside the conversation, the policy and what it is to be told, the request that is laid out.
 * Doesn't own: the conversation, which is the thread's; the index of symbols, which its worker's threads share.
 *
 * Invariants:
 * 1. What is shown is in the log (`context_changed`); where it stands is in the checkpoint.
 * 2. A request that failed is sent again as it is: it is laid out once for each step, and anew where the conversation was summed up
 *    before that.
 */
export type AssemblySession = {
  readonly policyName: TierPolicyName;
  readonly policy: TierPolicy;
  readonly gatherer: Gatherer;
  readonly files: ProjectFiles;
  readonly view: ProjectView;
  readonly pages: Map<string, ShownPage>;
  review: string | undefined;
  /** Symbol blocks of files as they were before the changes under review. */
  readonly outlines: Map<string, string | undefined>;
  /** What the policy has not been told. */
  events: TierEvent[];
  /** Summaries that have stood for messages, and how many messages there are less. */
  summaries: number;
  removed: number;
  /** Tokens of the history when its compaction was tried last, as they were after that; 0 = never. */
  triedAt: number;
  /** When and for which model the last request was laid out or sent, and before which turn. */
  last: LastRequest | undefined;
  /** What was shown then. */
  seen: Seen | undefined;
  /** Says which layout is under way: one that was overtaken is dropped. */
  step: symbol | undefined;
  request: AssembledRequest | undefined;
  /** What share of the window a successor's first request may fill, until that is laid out. */
  mayFill: number | undefined;
  /** Whether a request of the thread has left room to go on: a successor of one that never had any would have none either. */
  hadRoom: boolean;
  /** What the last request had beside the conversation. */
  parts: Parts | undefined;
  /** What its provider may have kept of the requests so far. */
  kept: KeptRequest | undefined;
};

/** What a request has shown: hashes of blocks, texts of files, and the last message there was. */
export type Seen = {
  readonly hashes: ReadonlyMap<ItemKey, string>;
  readonly texts: ReadonlyMap<string, string>;
  readonly message: Message | undefined;
};

const LastRequest = z.object({ at: z.number(), model: z.string(), turns: z.number() });
type LastRequest = z.infer<typeof LastRequest>;

/** What a checkpoint has of it. */
const storedSession = z.object({
  policy: z.string(),
  state: z.unknown(),
  // Written by this runtime.
  events: z.custom<TierEvent[]>((value) => Array.isArray(value)),
  last: LastRequest.optional(),
  placed: z.array(z.string()).optional(),
  kept: z.array(z.number()).optional(),
  map: z.array(z.string()).readonly().optional(),
  list: z.array(z.string()).readonly().optional(),
  mayFill: z.number().optional(),
  hadRoom: z.boolean().optional(),
  triedAt: z.number().optional(),
});
type StoredSession = z.infer<typeof storedSession>;

/** What a session goes on from. */
export type SessionStart = {
  /** The thread's log; default: it begins. */
  readonly lines?: string;
  /** The last event that the checkpoint knows of, and what it has of the session. */
  readonly sequence?: number;
  readonly stored?: unknown;
};

/**
 * Begins the session of a thread, or goes on with it; undefined for one whose prompt is flat. A layout of another policy or
 * release is forgotten: it is planned anew.
 */
export function createSession(
  thread: Pick<Thread, 'plan'>,
  { config, projectPath, assembly }: Pick<Services, 'config' | 'projectPath' | 'assembly'>,
  { lines = '', sequence = 0, stored: given }: SessionStart = {},
): AssemblySession | undefined {
  if (thread.plan.assembly === 'flat') return undefined;
  const policyName = config.agent.assemblyPolicy;
  const stored = storedSession.safeParse(given).data;
  const restored = restorePolicy(policyName, stored);
  const { selected, pages, review, later, summaries, removed } = loggedContext(lines, sequence);
  const index = assembly.symbols.index();
  return {
    policyName,
    policy: restored ?? createTierPolicy(policyName),
    gatherer: createGatherer({
      counter: counterOf(thread),
      repeats: tierLayout(policyName).repeats,
      placed: restored && stored?.placed,
    }),
    files: createFileContext({ root: projectPath, files: () => index.files(), selected: [...selected] }),
    view: createProjectView(stored),
    pages,
    review,
    outlines: new Map(),
    events: [...(stored?.events ?? []), ...later.flatMap(selectionEvents)],
    summaries,
    removed,
    triedAt: stored?.triedAt ?? 0,
    last: stored?.last,
    seen: undefined,
    step: undefined,
    request: undefined,
    mayFill: stored?.mayFill,
    // Of an older release, it is not known.
    hadRoom: stored ? (stored.hadRoom ?? true) : false,
    parts: undefined,
    kept: restored && stored?.kept && { kept: stored.kept },
  };
}

/** That of the model which the thread has now: it may go on with another one. */
function counterOf(thread: Pick<Thread, 'plan'>): TokenCounter {
  return {
    get count() {
      return thread.plan.model.counter.count;
    },
    countMedia: estimateMediaTokens,
  };
}

/** What items were is not known after a restart: a log, which may have them, is begun anew. */
function restorePolicy(name: TierPolicyName, stored: StoredSession | undefined): TierPolicy | undefined {
  if (stored?.policy !== name || name === 'append-only') return undefined;
  try {
    return createTierPolicy(name, stored.state);
  } catch (thrown) {
    // Another release's: a layout is worth money, not a thread.
    if (thrown instanceof z.ZodError) return undefined;
    throw thrown;
  }
}

/** What of a session is in a checkpoint, as JSON. */
export function sessionState({
  policyName,
  policy,
  gatherer,
  view,
  events,
  last,
  triedAt,
  kept,
  mayFill,
  hadRoom,
}: AssemblySession): StoredSession {
  const placed = tierLayout(policyName).repeats === 'current' ? gatherer.placed() : undefined;
  return {
    policy: policyName,
    state: policy.state(),
    events,
    last,
    placed: placed && [...placed],
    triedAt: triedAt || undefined,
    kept: kept && [...kept.kept],
    ...view.cut(),
    mayFill,
    hadRoom,
  };
}

/** Remembers who has the last request in its cache: it may have been laid out long ago, and for a model that has failed. */
export function noteSent(session: AssemblySession, model: string, at: number): void {
  if (session.last) session.last = { ...session.last, model, at };
}

/** What a policy is told of a change. */
export function selectionEvents({ selected = [], dropped = [] }: ContextChange): TierEvent[] {
  return [
    ...selected.map((path) => ({ kind: 'selected', path }) as const),
    ...dropped.map((path) => ({ kind: 'dropped', path }) as const),
  ];
}
