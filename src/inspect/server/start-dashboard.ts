import { createDashboard, type DashboardParts } from './dashboard.ts';
import { serveDashboard, type DashboardServer, type ServingOptions } from './dashboard-server.ts';
import { readPageFiles } from './page-files.ts';

/** What a dashboard is started with. */
export type StartOptions = DashboardParts &
  Pick<ServingOptions, 'port' | 'token' | 'redact'> & {
    /** Folder of the built page. */
    readonly pageFolder: string;
  };

/** Serves a project's dashboard on this machine alone. @throws SkeinError as `serveDashboard` */
export function startDashboard({ pageFolder, port, token, redact, ...parts }: StartOptions): Promise<DashboardServer> {
  return serveDashboard({ dashboard: createDashboard(parts), page: readPageFiles(pageFolder), port, token, redact });
}
