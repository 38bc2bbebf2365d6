import type { AnyStateMachine } from 'xstate';

/**
 * What a machine is, as viewers are told: JSON of a text that is JSON of its config. A machine may be defined with values in
 * its context: `clean` takes secrets out of it, as out of everything that is told.
 */
export function definitionOf({ config }: Pick<AnyStateMachine, 'config'>, clean: (text: string) => string): string {
  return JSON.stringify(clean(JSON.stringify(config, nameFunctions)));
}

/** The definition of an actor without a chart. */
export function plainDefinition(name: string): string {
  return JSON.stringify(JSON.stringify({ id: name }));
}

function nameFunctions(_key: string, value: unknown): unknown {
  return typeof value === 'function' ? { type: value.name } : value;
}
