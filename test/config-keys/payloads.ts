import { compilePayloadCheck } from '../../src/thread/services/event-check.ts';
import { nameIn, SHIPPED, type State } from './row.ts';

type Schema = {
  readonly enum?: readonly unknown[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
};

const SCALARS: readonly unknown[] = ['text', 0, 1, 100, 101, -1, 0.5, true, null, {}, []];

/** What is found in payloads of every kind, good and bad, of one event type. */
export function payloadFaults({ config }: State, path: string): unknown {
  const type = nameIn(path);
  // A payload schema is JSON Schema as the file has it.
  const schema = SHIPPED.config.events.eventTypes[type]?.payloadSchema as Schema;
  const check = compilePayloadCheck(config.events);
  return samplesOf(schema).map((payload) => check(type, payload));
}

function samplesOf({ enum: named = [], properties = {}, items }: Schema): unknown[] {
  const members = Object.entries(properties).flatMap(([name, schema]) =>
    samplesOf(schema).map((value) => ({ [name]: value })),
  );
  return [...SCALARS, ...named, ...members, ...(items ? samplesOf(items).map((item) => [item]) : [])];
}
