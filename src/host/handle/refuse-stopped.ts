import { SkeinError, type Failure } from '../../core/errors.ts';
import type { EndingSources } from './until-ended.ts';

/** What needs the database can't be answered any more. @throws SkeinError `runtime_closed` */
export function refuseStopped({ isStopped }: Pick<EndingSources, 'isStopped'>): void {
  if (isStopped()) throw new SkeinError('runtime_closed', 'The runtime has stopped');
}

/** Why nothing is known of what was asked for: it is not on disk, and the next runtime knows nothing of it. */
export function stoppedBefore(what: string): Failure {
  return { code: 'runtime_closed', message: `The runtime stopped before ${what}` };
}
