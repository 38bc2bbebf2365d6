import type { InWorker } from '../conversation/conversation.ts';
import type { AssemblySession } from './assembly-session.ts';
import { measureRequest, type Around, type Measured } from './measure-request.ts';
import { showContext } from './show-context.ts';

/**
 * Takes the project as it is now. A successor drops files that it has taken along, those selected first, until its first request is
 * as small as it is to be: what the project takes beside them was not known before.
 */
export function takeWhatFits(worker: InWorker, session: AssemblySession, around: Around): Measured {
  const { contextWindow } = worker.thread.plan.model;
  const { mayFill: share = Number.POSITIVE_INFINITY } = session;
  session.mayFill = undefined;
  let measured = measureRequest(worker, session, around);
  for (const path of session.files.selected()) {
    if (measured.total <= share * contextWindow) break;
    session.files.drop(path);
    showContext({ ...worker, session }, { dropped: [path] });
    measured = measureRequest(worker, session, around);
  }
  return measured;
}
