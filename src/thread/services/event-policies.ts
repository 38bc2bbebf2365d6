import type { Config } from '../../config/config.ts';
import type { Criticality } from '../../core/events.ts';

/** How an event type is handled: what `events.yaml` says of it (S2 §4.1). */
export type EventPolicy = {
  readonly criticality: Criticality;
  /** Only shown to whoever watches, never stored: a droppable type whose `emit_config` says `async`. */
  readonly live: boolean;
  /** Shortest time between two events of the type in a thread, in milliseconds; undefined = as the type's source has it. */
  readonly throttleMs: number | undefined;
  /** An interrupted call records what there is. */
  readonly emitOnError: boolean;
  /** And that from its beginning, whatever was told before. */
  readonly accumulateOnError: boolean;
};

/** The policies of all declared event types by name. */
export function eventPoliciesOf({ eventTypes }: Config['events']): ReadonlyMap<string, EventPolicy> {
  return new Map(
    Object.entries(eventTypes).map(([type, { criticality, emitOnError, emitConfig }]) => [
      type,
      {
        criticality,
        live: criticality === 'droppable' && emitConfig?.async === true,
        throttleMs: emitConfig?.throttleSeconds === undefined ? undefined : emitConfig.throttleSeconds * 1000,
        emitOnError,
        accumulateOnError: emitConfig?.accumulateOnError ?? false,
      },
    ]),
  );
}

/** The policy of a type the config need not know. */
export function policyOf(policies: ReadonlyMap<string, EventPolicy>, type: string): EventPolicy {
  return policies.get(type) ?? UNDECLARED;
}

const UNDECLARED: EventPolicy = {
  criticality: 'critical',
  live: false,
  throttleMs: undefined,
  emitOnError: false,
  accumulateOnError: false,
};
