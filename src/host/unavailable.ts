import type { Config } from '../config/config.ts';
import { SkeinError } from '../core/errors.ts';

/** A setting, and the values of it that do what they say. */
type Setting = readonly [path: string, value: unknown, available: readonly unknown[]];

/**
 * Refuses settings whose feature is not there yet, rather than running as if they were not set.
 *
 * @throws SkeinError `not_available` with the file and the path of the setting
 */
export function refuseUnavailable({ resilience }: Config): void {
  refuse('resilience.yaml', resilienceSettings(resilience));
}

function resilienceSettings({ checkpoint }: Config['resilience']): Setting[] {
  const { triggers, persistence } = checkpoint;
  return [
    ['checkpoint.triggers.pre_turn', triggers.preTurn, [true]],
    ['checkpoint.triggers.post_llm', triggers.postLlm, [true]],
    ['checkpoint.triggers.post_tools', triggers.postTools, [true]],
    ['checkpoint.triggers.on_error', triggers.onError, [true]],
    ['checkpoint.persistence.format', persistence.format, ['sqlite']],
  ];
}

function refuse(file: string, settings: readonly Setting[]): void {
  for (const [path, value, available] of settings) {
    if (available.includes(value)) continue;
    const message = `"${path}: ${String(value)}" is not available in this version, only ${available.join(' or ')}`;
    throw new SkeinError('not_available', message, { where: { file, path } });
  }
}
