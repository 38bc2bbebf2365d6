import { backOffAfter, backOffAnswered, NO_BACK_OFF, type BackOff } from '../../core/back-off.ts';
import type { WorkerCommand, WorkerReport } from '../../core/protocol.ts';

/** Tells every worker of a provider that has too many calls, whichever worker heard of it (contracts, "Retry"). */
export interface BackOffs {
  refused(report: Extract<WorkerReport, { type: 'providerRefused' }>): void;
  answered(report: Extract<WorkerReport, { type: 'providerAnswered' }>): void;
  /** What a worker is told that was not there when it happened. */
  known(): WorkerCommand[];
}

/** Makes the back-offs of a runtime; holds one entry for each provider that has ever refused a call. */
export function createBackOffs(broadcast: (command: WorkerCommand) => void): BackOffs {
  const known = new Map<string, BackOff>();
  const tell = (provider: string, next: BackOff): void => {
    known.set(provider, next);
    broadcast({ type: 'backOff', provider, ...next });
  };
  return {
    known: () => [...known].map(([provider, backOff]) => ({ type: 'backOff', provider, ...backOff })),
    refused({ provider, startedIn, until }) {
      const before = known.get(provider) ?? NO_BACK_OFF;
      const next = backOffAfter(before, { startedIn, until });
      if (next.round > before.round || next.until > before.until) tell(provider, next);
    },
    answered({ provider, startedIn }) {
      const before = known.get(provider);
      const next = before && backOffAnswered(before, startedIn);
      if (next && next !== before) tell(provider, next);
    },
  };
}
