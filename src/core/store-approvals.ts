import type { SuspendReason } from './events.ts';
import type { ApprovalId, ThreadId, ThreadNo } from './ids.ts';

/** What a person is asked; committed with the suspension that waits for the answer. */
export type ApprovalRequest = {
  readonly approvalId: ApprovalId;
  readonly reason: SuspendReason;
  /** The limit that was hit, if it is about one; amounts are nano-USD, seconds or counts, and are stored whole. */
  readonly limitCode: string | undefined;
  readonly currentValue: number | undefined;
  readonly currentMax: number | undefined;
  /** What would be enough. */
  readonly suggested: number | undefined;
  /** Directive and hook, or `on_exceed`. */
  readonly askedBy: string;
  readonly message: string;
};

/** What is to be decided, as whoever suspends a thread puts it; the suspension makes a request of it. */
export type ApprovalQuestion = Omit<ApprovalRequest, 'approvalId' | 'reason'> & {
  /** Which decision of which hook it is about: once granted, that one is not asked about again. */
  readonly point?: string;
};

/** What was answered; committed with the resumption or the ending. The first answer counts. */
export type ApprovalDecision = {
  readonly approvalId: ApprovalId;
  readonly status: 'granted' | 'denied';
  readonly by: string;
  /** JSON of the new limits. */
  readonly granted: string | undefined;
};

/** Where a request stands; `cancelled`: its thread ended without an answer. */
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number];

/** All of them. */
export const APPROVAL_STATUSES = ['pending', 'granted', 'denied', 'cancelled'] as const;

/** A request as it is stored. */
export type ApprovalRow = ApprovalRequest & {
  readonly thread: ThreadNo;
  readonly threadId: ThreadId;
  readonly directive: string;
  readonly status: ApprovalStatus;
  readonly requestedAt: number;
  readonly decidedAt: number | undefined;
  readonly decidedBy: string | undefined;
  /** JSON of the new limits. */
  readonly granted: string | undefined;
};

/** Which requests a query returns; newest first. */
export type ApprovalFilter = {
  readonly status?: ApprovalStatus;
  readonly thread?: ThreadNo;
  /** Default 100. */
  readonly limit?: number;
};
