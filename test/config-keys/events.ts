import { encodeEvent } from '../../src/core/events.ts';
import { openEvents } from '../../src/host/handle/event-feed.ts';
import { payloadFaults } from './payloads.ts';
import { nameIn, once, other, SCHEMA_VERSION, stateOf, type Row, type State } from './row.ts';
import { shown } from './shown.ts';
import { interruptedCall, shownCalls } from './workers-at-work.ts';

/** What is told of a call that is interrupted (as the file has it, and where reasoning is told in pieces), and of calls as such. */
const emissions = once((state: State): unknown => {
  const document = state.documents.layers.events[0]?.document ?? {};
  const inPieces = { event_types: { cognition_reasoning: { emit_config: { throttle_seconds: 0.05 } } } };
  return [...[state, stateOf('events', document, { events: inPieces })].map(interruptedCall), shownCalls(state)];
});

export const EVENT_ROWS: readonly Row[] = [
  SCHEMA_VERSION,
  { path: 'event_types.*.category', sees: shown('events') },
  { path: 'event_types.*.description', sees: shown('events') },
  {
    path: 'event_types.*.criticality',
    to: (criticality) => (criticality === 'critical' ? 'droppable' : 'critical'),
    // `async` is for droppable types alone.
    referred: /must be stored/,
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
  { path: 'event_types.*.emit_on_error', sees: emissions },
  { path: 'event_types.*.emit_config.**', sees: emissions },
  { path: 'event_types.*.payload_schema.type', to: otherType, refused: /expected "object"/ },
  { path: 'event_types.*.payload_schema.required[*]', sees: payloadFaults },
  {
    path: 'event_types.*.payload_schema.properties.**',
    to: (value, path) => (/\.type(?:\[\d\])?$/.test(path) ? otherType(value) : other(value)),
    // A default says what a reader may assume: it checks nothing.
    sees: (state, path) => [payloadFaults(state, path), path.endsWith('.default') && shown('events')(state)],
  },
];

function otherType(type: unknown): string {
  return type === 'string' ? 'boolean' : 'string';
}
