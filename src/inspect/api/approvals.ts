/** A question to a person. Amounts about `spend_exceeded` in USD. */
export type ApprovalRow = {
  readonly approval_id: string;
  readonly thread_id: string;
  readonly directive: string;
  readonly status: 'pending' | 'granted' | 'denied' | 'cancelled';
  readonly reason: string;
  readonly asked_by: string;
  readonly message: string;
  /** While it is pending: the tool call that a hook has stopped, tool and input; a long one is cut. */
  readonly call?: string | undefined;
  readonly limit_code?: string | undefined;
  readonly current_value?: number | undefined;
  readonly current_max?: number | undefined;
  /** What would be enough. */
  readonly suggested?: number | undefined;
  readonly requested_at_ms: number;
  readonly decided_at_ms?: number | undefined;
  readonly decided_by?: string | undefined;
  readonly granted?: Readonly<Record<string, unknown>> | undefined;
};

/** `GET /api/approvals?status=pending|granted|denied|cancelled|all&limit=N`: newest first; default: pending, 100; at most 1,000. */
export type ApprovalsAnswer = {
  readonly approvals: readonly ApprovalRow[];
  /** There are earlier ones. */
  readonly cut: boolean;
};

/** `POST /api/approvals/ID/grant`: new maximums, not what is added; answered by an {@link ApprovalRow}. */
export type GrantRequest = {
  readonly limits?: {
    readonly spend?: number;
    readonly turns?: number;
    readonly tokens?: number;
    readonly duration_seconds?: number;
  };
  /** Said to the model. */
  readonly message?: string;
};

/** `POST /api/approvals/ID/deny`: answered by an {@link ApprovalRow}. */
export type DenyRequest = { readonly message?: string };
