import { configYaml } from '../../src/cli/config-yaml.ts';
import { leavesOf } from '../../src/config/leaves.ts';
import { once, type State } from './row.ts';

/** What `skein config show` prints: the use of a text that is written for people alone. */
export function shown(name: 'events' | 'error_classification' | 'hook_conditions'): (state: State) => unknown {
  return once(({ documents }) => {
    const document = documents.layers[name][0]?.document ?? {};
    const origins = Object.fromEntries([...leavesOf(document).keys()].map((path) => [path, `/system/${name}.yaml`]));
    return configYaml({ document, origins }, '/system');
  });
}
