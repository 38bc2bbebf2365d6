import type { Scenario } from '../job.ts';
import { cancel } from './cancel.ts';
import { fanout } from './fanout.ts';
import { host } from './host.ts';
import { idle } from './idle.ts';
import { parked } from './parked.ts';
import { spawn } from './spawn.ts';

/** Every scenario of the bench, in the order they run. */
export const SCENARIOS: readonly Scenario[] = [fanout, parked, idle, cancel, host, spawn];
