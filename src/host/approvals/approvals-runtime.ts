import { toFailure } from '../../core/errors.ts';
import type { ApprovalDesk } from './approval-desk.ts';
import type { ApprovalEvent } from './approval-news.ts';
import { approvalView } from './approval-view.ts';
import { createApprovals, type Approval, type Approvals } from './approvals.ts';
import { checkFunction, checkText } from '../handle/argument-types.ts';
import type { HostContext } from '../host-context.ts';
import { camelKeys } from '../operations/camel-keys.ts';

/** The requests for approval of a running runtime. */
export interface RuntimeApprovals extends Approvals {
  /**
   * Listens; returns the way to stop. `requested`: a thread has been suspended and waits; `resolved`: granted, denied, or
   * `cancelled` since its thread has ended. A listener that throws is reported as `problem`.
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
      checkText('The name of an event', event);
      checkFunction(`The listener of ${event}`, listener);
      return host.approvals.listen((what, id) => {
        if (what !== event) return;
        try {
          const row = host.reader.approval(id);
          if (row) listener(camelKeys(approvalView(row)));
        } catch (thrown) {
          const failure = toFailure(thrown);
          host.problem({ ...failure, message: `A listener of approvals threw: ${failure.message}` });
        }
      });
    },
  };
}
