import { SkeinError } from '../../core/errors.ts';
import type { EndingSources } from './until-ended.ts';

/** What needs the database can't be answered any more. @throws SkeinError `runtime_closed` */
export function refuseStopped({ isStopped }: Pick<EndingSources, 'isStopped'>): void {
  if (isStopped()) throw new SkeinError('runtime_closed', 'The runtime has stopped');
}
