import type { Config } from '../config/config.ts';
import { SkeinError } from '../core/errors.ts';

/** A setting, and the values of it that do what they say. */
type Setting = readonly [path: string, value: unknown, available: readonly unknown[]];

/**
 * Refuses settings whose feature is not there yet, rather than running as if they were not set.
 *
 * @throws SkeinError `not_available` with the file and the path of the setting
 */
export function refuseUnavailable({ resilience, events }: Config): void {
  refuse('resilience.yaml', resilienceSettings(resilience));
  refuse('events.yaml', eventSettings(events));
}

function resilienceSettings({ checkpoint, childPolicy, continuation }: Config['resilience']): Setting[] {
  const { triggers, persistence } = checkpoint;
  return [
    ['checkpoint.triggers.pre_turn', triggers.preTurn, [true]],
    ['checkpoint.triggers.post_llm', triggers.postLlm, [true]],
    ['checkpoint.triggers.post_tools', triggers.postTools, [true]],
    ['checkpoint.triggers.on_error', triggers.onError, [true]],
    ['checkpoint.persistence.format', persistence.format, ['sqlite']],
    ['child_policy.on_parent_cancel', childPolicy.onParentCancel, ['cascade_cancel', 'allow']],
    ['child_policy.on_parent_error', childPolicy.onParentError, ['cascade_cancel', 'allow']],
    // Nothing reads these yet: what ships is what stands for them.
    ['continuation.enabled', continuation.enabled, [true]],
    ['continuation.pressure_threshold', continuation.pressureThreshold, [0.8]],
  ];
}

/** What the runtime does on an interruption is the same for every config; only what is shown live is throttled. */
function eventSettings({ eventTypes }: Config['events']): Setting[] {
  return Object.entries(eventTypes).flatMap(([type, { emitOnError, emitConfig }]): Setting[] => {
    const { throttleSeconds = 0, accumulateOnError = false } = emitConfig ?? {};
    const path = `event_types.${type}`;
    return [
      [`${path}.emit_on_error`, emitOnError, [type === 'cognition_out' || type === 'cognition_reasoning']],
      [`${path}.emit_config.accumulate_on_error`, accumulateOnError, [type === 'cognition_reasoning']],
      [
        `${path}.emit_config.throttle_seconds`,
        throttleSeconds,
        type === 'cognition_out_delta' ? [throttleSeconds] : [0],
      ],
    ];
  });
}

function refuse(file: string, settings: readonly Setting[]): void {
  for (const [path, value, available] of settings) {
    if (available.includes(value)) continue;
    const message = `"${path}: ${String(value)}" is not available in this version, only ${available.join(' or ')}`;
    throw new SkeinError('not_available', message, { where: { file, path } });
  }
}
