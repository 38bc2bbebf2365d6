import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod';
import type { Criticality } from '../core/events.ts';
import { SkeinError, toFailure } from '../core/errors.ts';
import { compileSchema } from '../core/json-schema/compile-schema.ts';
import { own } from '../core/record.ts';
import { parseSection, schemaVersion, section } from './section.ts';
import type { Document } from './merge.ts';

const eventType = section({
  category: z.string().min(1),
  criticality: z.enum(['critical', 'droppable']),
  description: z.string().optional(),
  /** Emit what is there (marked partial) when the call is interrupted. */
  emit_on_error: z.boolean().default(false),
  emit_config: section({
    /** Shown as it happens, never stored. */
    async: z.boolean().optional(),
    /** Shortest time between two events of this type in a thread; a model's words that come sooner are gathered. */
    throttle_seconds: z.number().min(0).optional(),
    /** An interrupted call stores what was said since its beginning, also what was emitted before. */
    accumulate_on_error: z.boolean().optional(),
  }).optional(),
  /** JSON Schema of the payload. */
  payload_schema: z.looseObject({ type: z.literal('object') }).readonly(),
});

const eventsSchema = section({
  schema_version: schemaVersion,
  event_types: z.record(z.string().regex(/^[a-z][a-z0-9_]*$/, 'event names are snake_case'), eventType).readonly(),
});

/** `events.yaml` (S2 §4.1): every event type with its criticality and payload schema. */
export type EventsConfig = z.output<typeof eventsSchema>;
type EventTypeConfig = EventsConfig['eventTypes'][string];

/**
 * Parses `events.yaml`. An override may make a droppable event critical, never the reverse: recovery reads the critical
 * ones.
 *
 * @throws SkeinError `invalid_config`, also for a setting that means nothing for its type and a schema that can't be used
 */
export function parseEvents(document: Document, file: string, lower: EventsConfig | undefined): EventsConfig {
  const events = parseSection(eventsSchema, document, file);
  for (const [type, { criticality }] of Object.entries(lower?.eventTypes ?? {})) {
    if (criticality === 'critical' && events.eventTypes[type]?.criticality === 'droppable') {
      throw refusal(file, `event_types.${type}.criticality`, `"${type}" is critical and cannot become droppable`);
    }
  }
  for (const [type, settings] of Object.entries(events.eventTypes)) {
    const wrong = findMeaningless(type, settings);
    if (wrong) throw refusal(file, `event_types.${type}${wrong.path}`, wrong.message);
    const { payloadSchema } = settings;
    if (!isDeepStrictEqual(payloadSchema, lower?.eventTypes[type]?.payloadSchema))
      checkSchema(payloadSchema, type, file);
  }
  return events;
}

/** As workers compile it: what they can't use must not be in force anywhere. */
function checkSchema(schema: unknown, type: string, file: string): void {
  try {
    compileSchema(schema);
  } catch (cause) {
    const { message, where } = toFailure(cause);
    const path = `event_types.${type}.payload_schema${where?.path?.replace('#', '').replaceAll('/', '.') ?? ''}`;
    throw new SkeinError('invalid_config', message, { where: { file, path }, cause });
  }
}

/** How an event is stored; a type the config does not know is critical, so that it is not lost. */
export function criticalityOf(config: { readonly events: EventsConfig }, type: string): Criticality {
  const { eventTypes } = config.events;
  return own(eventTypes, type)?.criticality ?? 'critical';
}

/** What a model says comes in pieces, and may break off. */
const SPOKEN: ReadonlySet<string> = new Set(['cognition_out', 'cognition_out_delta', 'cognition_reasoning']);
/** Of that, what is gathered and told a piece at a time: nothing is dropped, whatever its criticality. */
const GATHERED: ReadonlySet<string> = new Set(['cognition_out_delta', 'cognition_reasoning']);
/** Deltas are put together again by whoever reads them, and `cognition_out` always holds everything. */
const ACCUMULATED: ReadonlySet<string> = new Set(['cognition_reasoning']);
/** Listeners of these names hear of something else (`runtime.on`). */
const TAKEN: ReadonlySet<string> = new Set(['event', 'problem', 'config']);

type Meaningless = { readonly path: string; readonly message: string };

function findMeaningless(type: string, settings: EventTypeConfig): Meaningless | undefined {
  const { criticality, emitOnError, emitConfig } = settings;
  const { async: isLive = false, throttleSeconds = 0, accumulateOnError = false } = emitConfig ?? {};
  const isCritical = criticality === 'critical';
  if (TAKEN.has(type)) return { path: '', message: `"${type}" cannot be the name of an event` };
  if (emitOnError && !SPOKEN.has(type)) return onlyFor('.emit_on_error', SPOKEN);
  if (accumulateOnError && !ACCUMULATED.has(type)) return onlyFor('.emit_config.accumulate_on_error', ACCUMULATED);
  if (throttleSeconds > 0 && isCritical && !GATHERED.has(type)) {
    return { path: '.emit_config.throttle_seconds', message: `"${type}" is critical: none of them may be dropped` };
  }
  if (isLive && isCritical) {
    const message = `"${type}" is critical and must be stored; "async: false" takes the setting back`;
    return { path: '.emit_config.async', message };
  }
  return undefined;
}

function onlyFor(path: string, types: ReadonlySet<string>): Meaningless {
  return { path, message: `means something for ${[...types].join(', ')} only` };
}

function refusal(file: string, path: string, message: string): SkeinError {
  return new SkeinError('invalid_config', message, { where: { file, path } });
}
