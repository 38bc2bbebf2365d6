import type { Config } from '../../config/config.ts';
import type { Failure } from '../../core/errors.ts';
import type { EventValidation } from '../../core/worker-task.ts';
import { compileSchema } from '../../core/json-schema/compile-schema.ts';
import type { SchemaIssue } from '../../core/json-schema/schema-check.ts';

/** Says what of a payload does not fit the `payload_schema` of its type; an empty list means it fits. */
export type PayloadCheck = (type: string, payload: unknown) => readonly SchemaIssue[];

const FITS: readonly SchemaIssue[] = [];

/** Compiles the payload schemas of `events.yaml`, once per worker. A type it does not declare takes any payload. */
export function compilePayloadCheck({ eventTypes }: Config['events']): PayloadCheck {
  const checks = new Map(
    Object.entries(eventTypes).map(([type, { payloadSchema }]) => [type, compileSchema(payloadSchema)]),
  );
  return (type, payload) => checks.get(type)?.(payload) ?? FITS;
}

/** What becomes of an event whose payload does not fit; it is stored in any case. */
export type EventCheckOptions = {
  readonly mode: EventValidation;
  readonly check: PayloadCheck;
  /** Counts by event type. */
  readonly invalid: Map<string, number>;
};

/**
 * The journal's look at what it is given (S2 §4.1, `payload_schema`): in mode `count` the invalid ones are counted, in
 * mode `error` the failure is returned that ends the thread, in mode `off` there is no look: undefined.
 */
export function createEventCheck({
  mode,
  check,
  invalid,
}: EventCheckOptions): ((type: string, payload: unknown) => Failure | undefined) | undefined {
  if (mode === 'off') return undefined;
  return (type, payload) => {
    const issues = check(type, payload);
    if (issues.length === 0) return undefined;
    invalid.set(type, (invalid.get(type) ?? 0) + 1);
    return mode === 'error' ? misfit(type, issues) : undefined;
  };
}

function misfit(type: string, issues: readonly SchemaIssue[]): Failure {
  const shown = issues.map(({ path, message }) => `${path || 'the payload'} ${message}`).join('; ');
  return {
    code: 'event_invalid',
    message: `An event ${type} does not fit its payload_schema: ${shown}`,
    where: { file: 'events.yaml', path: `event_types.${type}.payload_schema` },
    detail: { event_type: type, issues },
  };
}
