import type { Clock } from '../../core/clock.ts';
import type { Failure } from '../../core/errors.ts';
import type { ProjectConnection } from '../../index.ts';
import type { MachinesAnswer } from '../api.ts';
import { createProjectLink, type ProjectLink } from './project-link.ts';
import { createTotals, type Totals } from './totals.ts';

/** What the answers of the API are made from. */
export interface Dashboard {
  readonly name: string;
  readonly version: string;
  readonly charts: MachinesAnswer;
  readonly clock: Clock;
  readonly problem: (failure: Failure) => void;
  /** The project as it is reached now. */
  reach(): Promise<Reached>;
  close(): Promise<void>;
}

/** A connection, and what is kept of what was counted through it. */
export type Reached = { readonly connection: ProjectConnection; readonly totals: Totals };

/** What a dashboard is made from. */
export type DashboardParts = Pick<Dashboard, 'name' | 'version' | 'charts' | 'clock' | 'problem'> & {
  readonly connect: () => Promise<ProjectConnection>;
};

/** Makes it; nothing is connected yet. */
export function createDashboard({ connect, ...parts }: DashboardParts): Dashboard {
  const link: ProjectLink = createProjectLink({ connect, clock: parts.clock });
  let reached: Reached | undefined;
  return {
    ...parts,
    async reach() {
      const connection = await link.connection();
      if (reached?.connection !== connection) {
        reached = { connection, totals: createTotals(connection.window, parts.clock) };
      }
      return reached;
    },
    close: () => link.close(),
  };
}
