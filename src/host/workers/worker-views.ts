import { answerOrNone } from '../../core/answer-or-none.ts';
import type { SkeinErrorCode } from '../../core/errors.ts';
import { nanoToUsd } from '../../core/money.ts';
import type { WorkerView } from '../runtime.ts';
import type { ControlClient } from './control-client.ts';

const SILENT: ReadonlySet<SkeinErrorCode> = new Set(['deadline_exceeded', 'worker_lost']);

/** Workers by their numbers. */
type Workers = ReadonlyMap<number, { readonly control: Pick<ControlClient, 'view'> }>;

/** What workers say of themselves. One that stands still, or is lost, does not keep the others from being told of: it is left out. */
export async function viewsOf(workers: Workers): Promise<readonly WorkerView[]> {
  const views = await Promise.all(
    Array.from(workers, async ([number, { control }]) => {
      const counters = await answerOrNone(control.view(), SILENT);
      return counters && { number, ...counters, spend: nanoToUsd(counters.spend) };
    }),
  );
  return views.filter((view) => view !== undefined);
}
