import type { ContextChange } from '../../core/context-change.ts';
import { SkeinError } from '../../core/errors.ts';
import { tierLayout } from '../../prompt/tiers/policy-by-name.ts';
import { selectionEvents, type AssemblySession } from './assembly-session.ts';
import { addTokens, fullShare } from '../conversation/context-size.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { showPage } from './shown-context.ts';

/** A thread whose prompt stands in tiers. */
type Showing = InWorker & { readonly session: AssemblySession };

/** Shows something else from the next request on, and says so in the log and to the policy. Selected files are selected by then. */
export function showContext({ thread, services, session }: Showing, change: ContextChange): void {
  if (change.fetched) showPage(session.pages, change.fetched);
  for (const url of change.forgotten ?? []) session.pages.delete(url);
  if (change.review !== undefined) session.review = change.review?.base;
  session.events.push(...selectionEvents(change));
  services.journal.record(thread, 'context_changed', change);
}

/** Selects a file, and says why not if there is no room for it; it counts from then on. @throws SkeinError for one that can't be selected */
export function selectFile(worker: Showing, path: string, share?: number): string | undefined {
  const { files } = worker.session;
  files.select(path);
  if (countsStill(worker.session, path)) return undefined;
  const refusal = takeRoom(worker, files.content(path) ?? '', share === undefined ? {} : { share });
  if (refusal !== undefined) files.drop(path);
  return refusal;
}

/** Why a text can't be shown beside what is there already, in the place of others; undefined if it can, and counts from then on. */
export function takeRoom(
  { thread, services }: InWorker,
  text: string,
  {
    instead = [],
    share = fullShare(services.config),
  }: { readonly instead?: readonly string[]; readonly share?: number } = {},
): string | undefined {
  const { contextWindow, counter } = thread.plan.model;
  const counted = counter.count(text);
  const more = counted - instead.reduce((sum, before) => sum + counter.count(before), 0);
  const room = Math.max(0, Math.floor(share * contextWindow - thread.contextTokens));
  if (more > 0 && counter.expect(more) >= room) {
    return `It takes some ${counter.expect(counted)} tokens, and there is room for ${room}: drop what is not needed first`;
  }
  addTokens(thread, more);
  return undefined;
}

/** Gives back what a text takes that is shown no longer; `path`: of its file, or the URL of its page. */
export function giveRoom({ thread, session }: Showing, path: string, text: string): void {
  if (!mayStay(session, path)) addTokens(thread, -thread.plan.model.counter.count(text));
}

/** Whether a file may stay in its tier, or in a log, when it is dropped: the next layout says whether its room is free. */
function mayStay({ policyName, gatherer }: AssemblySession, path: string): boolean {
  return tierLayout(policyName).repeats !== 'never' && gatherer.placed().includes(path);
}

/** Whether a file was dropped since the last layout, and gave nothing back. A log may have an older text of it, and gets the new one too. */
function countsStill(session: AssemblySession, path: string): boolean {
  if (tierLayout(session.policyName).repeats === 'older' || !mayStay(session, path)) return false;
  return session.events.some((event) => event.kind === 'dropped' && event.path === path);
}

/**
 * Shows what the thread before has shown; files that are gone are left out, and what leaves no room for the conversation: with
 * all that stands in it, the first request fills no more than a `share` of the window. Nothing for a thread whose prompt is flat.
 */
export function inheritContext(worker: InWorker, changes: readonly ContextChange[], share: number): void {
  const { assembly: session } = worker.thread;
  if (!session) return;
  session.mayFill = share;
  for (const { selected = [], fetched, ...change } of changes) {
    const there = selected.filter((path) => isSelectable({ ...worker, session }, path, share));
    const isShown = fetched !== undefined && takeRoom(worker, fetched.content, { share }) === undefined;
    const isSomething = there.length > 0 || isShown || Object.keys(change).length > 0;
    if (isSomething)
      showContext(
        { ...worker, session },
        { ...change, ...(isShown && { fetched }), ...(there.length > 0 && { selected: there }) },
      );
  }
}

function isSelectable(worker: Showing, path: string, share: number): boolean {
  try {
    return selectFile(worker, path, share) === undefined;
  } catch (thrown) {
    if (thrown instanceof SkeinError) return false;
    throw thrown;
  }
}
