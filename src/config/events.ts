import * as z from 'zod';
import type { Criticality } from '../core/events.ts';
import { SkeinError } from '../core/errors.ts';
import { parseSection, schemaVersion, section } from './section.ts';
import type { Document } from './merge.ts';

const eventType = section({
  category: z.string().min(1),
  criticality: z.enum(['critical', 'droppable']),
  description: z.string().optional(),
  /** Emit what is there (marked partial) when the call is interrupted. */
  emit_on_error: z.boolean().default(false),
  emit_config: section({
    /** A droppable event is asynchronous in any case; S2 writes it down. */
    async: z.literal(true).optional(),
    /** Shortest time between two events of this type in a thread; what comes sooner is gathered. */
    throttle_seconds: z.number().min(0).optional(),
    /** Keep what was emitted so far, so that an interruption can store it. */
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

/**
 * Parses `events.yaml`. An override may make a droppable event critical, never the reverse: recovery reads the critical
 * ones.
 */
export function parseEvents(document: Document, file: string, lower: EventsConfig | undefined): EventsConfig {
  const events = parseSection(eventsSchema, document, file);
  for (const [type, { criticality }] of Object.entries(lower?.eventTypes ?? {})) {
    if (criticality === 'critical' && events.eventTypes[type]?.criticality === 'droppable') {
      throw new SkeinError('invalid_config', `"${type}" is critical and cannot become droppable`, {
        where: { file, path: `event_types.${type}.criticality` },
      });
    }
  }
  return events;
}

/** How an event is stored; a type the config does not know is critical, so that it is not lost. */
export function criticalityOf(config: { readonly events: EventsConfig }, type: string): Criticality {
  const { eventTypes } = config.events;
  return (Object.hasOwn(eventTypes, type) ? eventTypes[type]?.criticality : undefined) ?? 'critical';
}
