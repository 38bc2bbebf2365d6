import type { ContenderSource, LibrarySource } from '../contenders/contender.ts';
import type { Scenario } from '../job.ts';
import { cancel } from './cancel.ts';
import { fanout } from './fanout.ts';
import { idle } from './idle.ts';
import { parked } from './parked.ts';
import { pipeline } from './pipeline.ts';
import { recover } from './recover.ts';
import { resume } from './resume.ts';
import { scale } from './scale.ts';
import { spawn } from './spawn.ts';
import { tools } from './tools.ts';
import { tree } from './tree.ts';

/** The scenarios that ship with the package, in the order they run. */
export function scenariosWith(contenders: ContenderSource, libraries: LibrarySource): readonly Scenario[] {
  return [
    fanout(contenders),
    scale(contenders),
    spawn,
    parked,
    tree(libraries),
    pipeline(libraries),
    tools,
    cancel(libraries),
    resume,
    recover,
    idle,
  ];
}
