import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { Config } from '../../config/config.ts';
import { loadConfig } from '../../config/load.ts';
import { createServiceVersions, type ServiceVersions, type ThreadHostServices } from './service-versions.ts';

const systemDir = fileURLToPath(new URL('../../../config', import.meta.url));
const { config } = loadConfig({ systemDir });

/** Versions of services that only say which they are; `retired` are the numbers of those that were let go of. */
function bench(): { readonly versions: ServiceVersions; readonly retired: number[] } {
  const retired: number[] = [];
  let last = 0;
  const make = (): ThreadHostServices => {
    const number = ++last;
    // No thread runs here: nothing else of the services is looked at.
    return {
      projectPath: String(number),
      mcp: { ready: () => undefined },
      inspection: { onlookerOf: () => undefined },
      renewed(next: Config) {
        if (next.projectVouches !== config.projectVouches) throw new Error('This one is not used');
        return make();
      },
      retire: () => void retired.push(number),
    } as unknown as ThreadHostServices;
  };
  const versions = createServiceVersions({ given: make(), forget: () => undefined, isStopping: () => false });
  return { versions, retired };
}

test('A version without threads is retired by the next one, once', () => {
  const { versions, retired } = bench();
  versions.renew(config);
  versions.renew(config);
  expect(retired).toEqual([1, 2]);
  expect(versions.latest().services.projectPath).toBe('3');
});

test('A version is kept while a thread has it, also when a later one was retired', () => {
  const { versions, retired } = bench();
  const first = versions.hold(7);
  versions.renew(config);
  const second = versions.hold(8);
  versions.renew(config);
  versions.letGo(8, second);
  expect([retired, first.services.projectPath]).toEqual([[2], '1']);
  versions.letGo(7, first);
  versions.letGo(7, first);
  expect(retired).toEqual([2, 1]);
});

test('The latest version stays when its last thread has left', () => {
  const { versions, retired } = bench();
  versions.letGo(7, versions.hold(7));
  expect(retired).toEqual([]);
});

test('A config that can not be used leaves the version as it was', () => {
  const { versions, retired } = bench();
  expect(() => versions.renew({ ...config, projectVouches: !config.projectVouches })).toThrow('not used');
  expect([versions.latest().services.projectPath, retired]).toEqual(['1', []]);
});
