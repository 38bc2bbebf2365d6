import { SkeinError } from '../../core/errors.ts';
import type { ApprovalId } from '../../core/ids.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import type { ApprovalEvent } from './approval-news.ts';
import { approvalView } from './approval-view.ts';
import { createApprovals, type Approval, type Approvals } from './approvals.ts';
import { checkFunction } from '../handle/argument-types.ts';
import { harmless } from '../handle/harmless.ts';
import type { HostContext } from '../host-context.ts';
import { camelKeys } from '../operations/camel-keys.ts';

/** The requests for approval of a running runtime. */
export interface RuntimeApprovals extends Approvals {
  /**
   * Listens; returns the way to stop. `requested`: a thread has been suspended and waits; `resolved`: granted, denied, or
   * `cancelled` since its thread has ended. What is told has no `call`, which stands in the thread's log: `get` has it. A
   * listener that throws, or whose promise rejects, is reported as `problem`.
   *
   * @throws SkeinError `invalid_argument`: another event, or nothing to call
   */
  on(event: ApprovalEvent, listener: (approval: Approval) => void): () => void;
}

/** Makes `runtime.approvals`. */
export function createRuntimeApprovals({
  host,
  desk,
}: {
  readonly host: HostContext;
  readonly desk: ApprovalDesk;
}): RuntimeApprovals {
  return {
    ...createApprovals(desk),
    on(event, listener) {
      if (event !== 'requested' && event !== 'resolved') throw refusedName(event);
      checkFunction(`The listener of ${event}`, listener);
      const tell = (id: ApprovalId): unknown => {
        const row = host.reader.approval(id);
        return row && listener(camelKeys(approvalView(row)));
      };
      const guarded = harmless(tell, (failure) => {
        host.problem({ ...failure, message: `A listener of approvals threw: ${failure.message}` });
      });
      return host.approvals.listen((what, id) => {
        if (what === event) guarded(id);
      });
    },
  };
}

/** A typo would be a listener that nobody ever calls. */
function refusedName(given: unknown): SkeinError {
  const shown = typeof given === 'string' ? `"${given}"` : typeof given;
  return new SkeinError('invalid_argument', `Approvals have the events requested and resolved, not ${shown}`);
}
