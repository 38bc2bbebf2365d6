import { encodeEvent } from '../../src/core/events.ts';
import { openEvents } from '../../src/host/event-feed.ts';
import { nameIn, SCHEMA_VERSION, type PendingKey, type Row } from './row.ts';
import { shown } from './shown.ts';

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
  },
];

export const EVENT_PENDING: readonly PendingKey[] = [
  { path: 'event_types.*.emit_on_error', until: 'emit_on_error works for every event type' },
  { path: 'event_types.*.emit_config.**', until: 'throttling and accumulating work for every event type' },
  { path: 'event_types.*.payload_schema.**', until: 'payloads are validated' },
];
