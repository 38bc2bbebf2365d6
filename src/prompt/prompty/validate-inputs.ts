import { types } from 'node:util';
import type { PromptyAgent } from '../../core/prompty-agent.ts';
import { setOwn } from '../../core/record.ts';
import { ownData } from './engine/own-data.ts';
import { ValueError } from './engine/value-error.ts';

/** Values of inputs by name. */
export type PromptyInputs = Readonly<Record<string, unknown>>;

/**
 * Completes the inputs of a prompt (S4 step 1): defaults where nothing is given, undeclared extras passed through. An `example`
 * is never a value, nor what a getter would make. Simple kinds are not checked, since a template makes text of any value.
 *
 * What is null is not given, declared or not, and no default.
 *
 * @throws ValueError `missing_input` naming every required input that is missing; `invalid_input` where inputs are no map, or too
 * many
 */
export function validateInputs(
  { inputs }: Pick<PromptyAgent, 'inputs'>,
  given: PromptyInputs,
): Record<string, unknown> {
  const values = readMap(given);
  let missing: string[] | undefined;
  for (const { name, required, default: fallback } of inputs) {
    if (Object.hasOwn(values, name)) continue;
    if (fallback !== undefined && fallback !== null) setOwn(values, name, fallback);
    else if (required) (missing ??= []).push(name);
  }
  if (missing) throw new ValueError('missing_input', `Required inputs are missing: ${missing.join(', ')}`);
  return values;
}

function readMap(given: unknown): Record<string, unknown> {
  if (typeof given !== 'object' || given === null || types.isProxy(given) || Array.isArray(given))
    throw new ValueError('invalid_input', 'The inputs are no plain map of names to values');
  return ownData(given);
}
