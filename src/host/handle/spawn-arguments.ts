import { isRecord } from '../../core/record.ts';
import type { SpawnOptions } from '../runtime-options.ts';
import { checkText, refusedArgument } from './argument-types.ts';
import { checkOptionNames } from './option-names.ts';
import { checkPlainData } from './plain-data.ts';

const NAMES: Readonly<Record<keyof SpawnOptions, true>> = {
  limits: true,
  model: true,
  signal: true,
  parent: true,
  output: true,
};

/**
 * What a thread is asked for with; the directive and the limits are seen to where they are read.
 *
 * @throws SkeinError `invalid_argument`, `invalid_input` with what was asked for and what came
 */
export function checkSpawnArguments<Outputs>(
  inputs: Readonly<Record<string, unknown>>,
  options: SpawnOptions<Outputs>,
): void {
  checkOptionNames('spawn', options, NAMES);
  checkInputs(inputs);
  const { model, parent, signal, output } = options;
  if (model !== undefined) checkText('The model of a thread', model);
  if (parent !== undefined) checkText('The parent of a thread', parent);
  // Heard of after the thread is there: it would go on without.
  if (signal !== undefined && !isSignal(signal)) throw refusedArgument('signal of spawn', 'an AbortSignal', signal);
  if (output !== undefined && !isSchema(output)) throw refusedArgument('output of spawn', 'a Standard Schema', output);
}

/** Named values that JSON can hold. @throws SkeinError `invalid_argument`, `invalid_input` */
export function checkInputs(inputs: unknown): void {
  if (!isRecord(inputs)) throw refusedArgument('inputs', 'an object of names and values', inputs);
  checkPlainData(inputs, 'inputs');
}

/** Those of other realms are no instances of this one's class. */
function isSignal(given: unknown): boolean {
  if (!isRecord(given) || !('aborted' in given)) return false;
  const { addEventListener, removeEventListener } = given as Partial<AbortSignal>;
  return typeof addEventListener === 'function' && typeof removeEventListener === 'function';
}

/** Of some libraries a schema is a function. */
function isSchema(given: unknown): boolean {
  return (typeof given === 'object' || typeof given === 'function') && given !== null && '~standard' in given;
}
