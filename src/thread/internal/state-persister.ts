import type { InternalCode } from './internal-tool.ts';

/** `internal/state_persister`: stores the thread's state now. Answers the number of the last event that it covers. */
export const statePersister: InternalCode = ({ thread, services }, done) => {
  const { sequence } = thread;
  const stored = (): void => done({ ok: true, value: { success: true, sequence } });
  // Everything was stored with its ending.
  if (thread.ended) return stored();
  thread.checkpointDue = true;
  services.journal.commit(thread, {}, stored);
};
