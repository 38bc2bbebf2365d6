import * as z from 'zod';
import { encodeEvent } from '../../src/core/events.ts';
import { openEvents } from '../../src/host/event-feed.ts';
import { compilePayloadCheck } from '../../src/thread/event-check.ts';
import { nameIn, other, SCHEMA_VERSION, SHIPPED, type PendingKey, type Row, type State } from './row.ts';
import { shown } from './shown.ts';

/** Another value for a key of a payload's schema. */
function otherSchema(value: unknown, path: string): unknown {
  if (!path.endsWith('.type')) return other(value);
  return value === 'string' ? 'boolean' : 'string';
}

const VALUES = [
  '',
  'text',
  'cascade',
  0,
  1.5,
  -1,
  101,
  true,
  null,
  [],
  [1],
  ['a'],
  [{}],
  {},
  { code: 'c' },
  { message: 'm' },
];

/** What is said about payloads of an event: each property with values of every type, and without it. */
function verdicts({ config }: State, path: string): unknown {
  const type = nameIn(path);
  const check = compilePayloadCheck(config.events);
  const schema = z.looseObject({}).parse(SHIPPED.config.events.eventTypes[type]?.payloadSchema);
  return [{}, ...probes(schema)].map((payload) => check(type, payload));
}

function probes(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  const properties = z.record(z.string(), z.looseObject({})).catch({}).parse(schema['properties']);
  return Object.entries(properties).flatMap(([name, inner]) => {
    const named = z.array(z.unknown()).catch([]).parse(inner['enum']);
    return [...VALUES, ...named, ...probes(inner)].map((value) => ({ [name]: value }));
  });
}

export const EVENT_ROWS: readonly Row[] = [
  SCHEMA_VERSION,
  { path: 'event_types.*.category', sees: shown('events') },
  { path: 'event_types.*.description', sees: shown('events') },
  {
    path: 'event_types.*.criticality',
    to: (criticality) => (criticality === 'critical' ? 'droppable' : 'critical'),
    sees: ({ config }, path) => {
      // Names of events come from the file itself.
      const line = encodeEvent({
        sequence: 1,
        event_type: nameIn(path),
        time: 0,
        payload: { code: '', message: '' },
      });
      return openEvents(line, 'thread-1', config);
    },
    referred: /"async: false" takes the setting back/,
  },
  { path: 'event_types.*.payload_schema.type', to: () => 'string', refused: /payload_schema.type|"object"/ },
  { path: 'event_types.*.payload_schema.required[*]', sees: verdicts },
  { path: 'event_types.*.payload_schema.properties.**', to: otherSchema, sees: verdicts },
];

export const EVENT_PENDING: readonly PendingKey[] = [
  { path: 'event_types.*.emit_on_error', until: 'emit_on_error works for every event type' },
  { path: 'event_types.*.emit_config.**', until: 'throttling and accumulating work for every event type' },
];
