import type { ContextChange } from '../../core/context-change.ts';
import { SkeinError } from '../../core/errors.ts';
import { selectionEvents, type AssemblySession } from './assembly-session.ts';
import { addTokens } from '../conversation/context-size.ts';
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

/** Why a text can't be shown beside what is there already; undefined if it can. It counts from then on. */
export function refuseToShow({ thread, services }: InWorker, text: string): string | undefined {
  const { contextWindow, counter } = thread.plan.model;
  const { hardThreshold } = services.config.resilience.continuation;
  const counted = counter.count(text);
  const room = Math.max(0, Math.floor(hardThreshold * contextWindow - thread.contextTokens));
  if (counter.expect(counted) < room) {
    addTokens(thread, counted);
    return undefined;
  }
  return `It takes some ${counter.expect(counted)} tokens, and there is room for ${room}: drop what is not needed first`;
}

/** Shows what the thread before has shown; files that are gone, or too many, are left out. Nothing for a thread whose prompt is flat. */
export function inheritContext(worker: InWorker, changes: readonly ContextChange[]): void {
  const { assembly: session } = worker.thread;
  if (!session) return;
  for (const { selected = [], ...change } of changes) {
    const there = selected.filter((path) => isSelectable({ ...worker, session }, path));
    const isSomething = there.length > 0 || Object.keys(change).length > 0;
    if (isSomething) showContext({ ...worker, session }, { ...change, ...(there.length > 0 && { selected: there }) });
  }
}

function isSelectable({ session: { files }, ...worker }: Showing, path: string): boolean {
  try {
    files.select(path);
    if (refuseToShow(worker, files.content(path) ?? '') === undefined) return true;
    files.drop(path);
    return false;
  } catch (thrown) {
    if (thrown instanceof SkeinError) return false;
    throw thrown;
  }
}
