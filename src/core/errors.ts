import type { LimitCode } from './limits.ts';

/** Every way a call into Skein can be refused or fail. The union is closed: a new code is an API change. */
export type SkeinErrorCode =
  | 'invalid_argument'
  | 'invalid_config'
  | 'invalid_item'
  | 'invalid_input'
  | 'invalid_output'
  | 'missing_input'
  | 'item_not_found'
  | 'item_id_refused'
  | 'item_too_large'
  | 'signature_wrong'
  | 'item_unsigned'
  | 'key_unusable'
  | 'permission_denied'
  | 'not_available'
  | 'node_version'
  | 'project_locked'
  | 'project_unwritable'
  | 'schema_too_new'
  | 'store_failed'
  | 'store_corrupt'
  | 'worker_lost'
  | 'runtime_closed'
  | 'thread_not_found'
  | 'thread_ended'
  | 'approval_not_found'
  | 'approval_settled'
  | 'deadline_exceeded'
  | 'provider_failed'
  | 'provider_key_missing'
  | 'replay_missing'
  | 'recording_failed'
  | 'price_unknown'
  | 'tool_failed'
  | 'tool_unknown'
  | 'tool_input_invalid'
  | 'outputs_missing'
  | LimitCode
  | 'budget_refused'
  | 'cancelled'
  | 'hook_failed'
  | 'event_invalid'
  | 'hook_depth_exceeded'
  | 'context_window_exceeded'
  | 'template_syntax'
  | 'template_value'
  | 'template_too_large'
  | 'template_steps_exceeded'
  | 'template_output_exceeded'
  | 'template_nesting_exceeded'
  | 'invoker_unknown'
  | 'content_unsupported'
  | 'internal';

/** Where the reader should look: a file, a line in it, a path inside a config document. */
export type ErrorPlace = {
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  readonly path?: string;
};

/** A failure as plain data: the only form in which errors cross threads, are logged or reach a model. */
export type Failure = {
  readonly code: SkeinErrorCode;
  readonly message: string;
  readonly where?: ErrorPlace;
  /** Structured detail for programs, e.g. `{declared_inputs}`; never secrets. */
  readonly detail?: Readonly<Record<string, unknown>>;
};

/** Options of {@link SkeinError}. */
export type SkeinErrorOptions = {
  readonly where?: ErrorPlace | undefined;
  readonly detail?: Readonly<Record<string, unknown>> | undefined;
  readonly cause?: unknown;
};

/** The one error class thrown by Skein: bugs and bad input. Failures a caller must act on are returned as data. */
export class SkeinError extends Error {
  readonly code: SkeinErrorCode;
  readonly where: ErrorPlace | undefined;
  readonly detail: Readonly<Record<string, unknown>> | undefined;

  constructor(code: SkeinErrorCode, message: string, options: SkeinErrorOptions = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'SkeinError';
    this.code = code;
    this.where = options.where;
    this.detail = options.detail;
  }
}

/** Turns whatever was thrown into a {@link Failure}; foreign errors keep their message under `fallback`. */
export function toFailure(thrown: unknown, fallback: SkeinErrorCode = 'internal'): Failure {
  return ownFailure(thrown) ?? { code: fallback, message: messageOf(thrown) };
}

function ownFailure(thrown: unknown): Failure | undefined {
  try {
    if (!(thrown instanceof SkeinError)) return undefined;
    const { code, message, where, detail } = thrown;
    return { code, message, ...(where && { where }), ...(detail && { detail }) };
  } catch {
    // A proxy that can't even be asked what it is.
    return undefined;
  }
}

/** What a thrown thing says. Anything may be thrown, also what has no text or throws when asked for it. */
export function messageOf(thrown: unknown): string {
  try {
    const message: unknown = thrown instanceof Error ? thrown.message : thrown;
    return typeof message === 'function' ? 'a function was thrown' : String(message);
  } catch {
    return 'something without a message was thrown';
  }
}

/** The error a caller sees for a failure that came from another thread. */
export function fromFailure(failure: Failure): SkeinError {
  return new SkeinError(failure.code, failure.message, failure);
}

/** The failure of a call whose arguments can't be used. */
export function invalidArgument(message: string): Failure {
  return { code: 'invalid_argument', message };
}

/** One readable line for a terminal: `message (file:line:column, at path) [code]`. */
export function describeFailure(failure: Failure): string {
  const { file, line, column, path } = failure.where ?? {};
  const spot = file && [file, line, column].filter((part) => part !== undefined).join(':');
  const places = [spot, path && `at ${path}`].filter(Boolean).join(', ');
  return `${failure.message}${places ? ` (${places})` : ''} [${failure.code}]`;
}
