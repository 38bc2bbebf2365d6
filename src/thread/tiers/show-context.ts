import type { ContextChange } from '../../core/context-change.ts';
import { SkeinError } from '../../core/errors.ts';
import { selectionEvents, type AssemblySession } from './assembly-session.ts';
import type { InWorker } from '../conversation/conversation.ts';
import { showPage } from './shown-context.ts';

/** Shows something else from the next request on, and says so in the log and to the policy. Selected files are selected by then. */
export function showContext(
  { thread, services, session }: InWorker & { readonly session: AssemblySession },
  change: ContextChange,
): void {
  if (change.fetched) showPage(session.pages, change.fetched);
  for (const url of change.forgotten ?? []) session.pages.delete(url);
  if (change.review !== undefined) session.review = change.review?.base;
  session.events.push(...selectionEvents(change));
  services.journal.record(thread, 'context_changed', change);
}

/** Shows what the thread before has shown; files that are gone are left out. Nothing for a thread whose prompt is flat. */
export function inheritContext(worker: InWorker, changes: readonly ContextChange[]): void {
  const { assembly: session } = worker.thread;
  if (!session) return;
  for (const { selected = [], ...change } of changes) {
    const there = selected.filter((path) => isSelectable(session, path));
    const isSomething = there.length > 0 || Object.keys(change).length > 0;
    if (isSomething) showContext({ ...worker, session }, { ...change, ...(there.length > 0 && { selected: there }) });
  }
}

function isSelectable({ files }: AssemblySession, path: string): boolean {
  try {
    files.select(path);
    return true;
  } catch (thrown) {
    if (thrown instanceof SkeinError) return false;
    throw thrown;
  }
}
