import type { LimitOverrides } from '../../core/limits.ts';
import { isRecord } from '../../core/record.ts';
import type { SpawnOptions } from '../runtime-options.ts';
import { checkText, refusedArgument } from './argument-types.ts';
import { checkOptionNames } from './option-names.ts';
import { checkPlain, plainCopyOf } from './plain-data.ts';

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
 * @throws SkeinError `invalid_argument` with what was asked for and what came
 */
export function checkSpawnOptions<Outputs>(options: SpawnOptions<Outputs>): void {
  checkOptionNames('spawn', options, NAMES);
  const { model, parent, signal, output } = options;
  if (model !== undefined) checkText('The model of a thread', model);
  if (parent !== undefined) checkText('The parent of a thread', parent);
  // Heard of after the thread is there: it would go on without.
  if (signal !== undefined && !isSignal(signal)) throw refusedArgument('signal of spawn', 'an AbortSignal', signal);
  if (output !== undefined && !isSchema(output)) throw refusedArgument('output of spawn', 'a Standard Schema', output);
}

/** A copy of named values that JSON can hold. @throws SkeinError `invalid_argument`, `invalid_input` */
export function inputsOf(given: unknown): Readonly<Record<string, unknown>> {
  if (!isRecord(given)) throw refusedArgument('inputs', 'an object of names and values', given);
  // The copy of an object is one.
  return plainCopyOf(given, 'inputs') as Readonly<Record<string, unknown>>;
}

/**
 * A copy: they are read once the thread has its turn. What are no limits is refused there.
 *
 * @throws SkeinError `invalid_argument` for an object in which none would be found
 */
export function limitsOf(given: LimitOverrides | undefined): LimitOverrides | undefined {
  if (!isRecord(given)) return given;
  checkPlain('limits', given);
  return { ...given };
}

/** Those of other realms are no instances of this one's class. */
function isSignal(given: unknown): boolean {
  if (!isRecord(given) || !('aborted' in given)) return false;
  const { addEventListener, removeEventListener } = given as Partial<AbortSignal>;
  return typeof addEventListener === 'function' && typeof removeEventListener === 'function';
}

/** Of some libraries a schema is a function. */
function isSchema(given: unknown): boolean {
  if ((typeof given !== 'object' && typeof given !== 'function') || given === null) return false;
  const standard: unknown = '~standard' in given ? given['~standard'] : undefined;
  return isRecord(standard) && typeof standard['validate'] === 'function';
}
