import type { Config } from '../config/config.ts';
import { SkeinError } from '../core/errors.ts';

/**
 * Refuses settings whose feature is not there yet, rather than running as if they were not set.
 *
 * @throws SkeinError `not_available` with the file and the path of the setting
 */
export function refuseUnavailable({ resilience, agent }: Config): void {
  const { checkpoint, childPolicy } = resilience;
  const settings: readonly (readonly [file: string, path: string, isSet: boolean])[] = [
    ['resilience.yaml', 'checkpoint.persistence.format: json', checkpoint.persistence.format === 'json'],
    ['resilience.yaml', 'checkpoint.triggers: false', Object.values(checkpoint.triggers).includes(false)],
    ['resilience.yaml', 'child_policy.on_parent_cancel: wait', childPolicy.onParentCancel === 'wait'],
    ['resilience.yaml', 'child_policy.on_parent_error: wait', childPolicy.onParentError === 'wait'],
    ['agent.yaml', 'trust: strict', Object.values(agent.trust).includes('strict')],
  ];
  for (const [file, path, isSet] of settings) {
    if (isSet)
      throw new SkeinError('not_available', `"${path}" is not available in this version`, { where: { file, path } });
  }
}
