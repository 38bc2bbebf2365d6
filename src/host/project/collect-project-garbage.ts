import { systemClock } from '../../core/clock.ts';
import type { CollectedGarbage } from '../../core/collected-garbage.ts';
import type { Failure } from '../../core/errors.ts';
import { storeOf } from '../../core/store-place.ts';
import { collectGarbage } from '../../store/collect-garbage.ts';
import { checkFunction } from '../handle/argument-types.ts';
import { harmless } from '../handle/harmless.ts';
import type { ProjectOptions } from '../control-socket/project-connection.ts';
import { loadRuntimeConfig, type StartOptions } from '../config/runtime-config.ts';

/** Settings of `collectGarbage`; the project and its configuration are those of a runtime. */
export type CollectOptions = ProjectOptions & {
  /** Told of what is left behind, such as a file that could not be removed. */
  readonly onProblem?: ((failure: Failure) => void) | undefined;
};

/** Archives and vacuums a project's database, as `cleanup` of `resilience.yaml` says. */
export async function collectProjectGarbage({
  onProblem = () => undefined,
  ...options
}: CollectOptions & Pick<StartOptions, 'env'>): Promise<CollectedGarbage> {
  checkFunction('onProblem of collectGarbage', onProblem);
  const { projectPath, config } = loadRuntimeConfig(options);
  return collectGarbage({
    path: storeOf(projectPath).database,
    tables: config.tables,
    now: systemClock.now(),
    archiveAfterDays: config.resilience.cleanup.archiveAfterDays,
    // What throws at a problem keeps nothing from being archived.
    problem: harmless(onProblem, () => undefined),
  });
}
