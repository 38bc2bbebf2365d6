import type { ThreadOutcome } from '../core/operations.ts';
import { connectProject } from '../index.ts';
import type { CliIo } from './io.ts';

/** How a thread stands, and whether that is because somebody interrupted the command. */
export type SettledOutcome = { readonly outcome?: ThreadOutcome; readonly interrupted?: true };

/** How a thread has come out of the runtime that a command had for itself, once that is closed. */
export async function storedOutcome(
  id: string,
  { project, interrupted }: { readonly project: string; readonly interrupted: boolean },
  env: CliIo['env'],
): Promise<SettledOutcome> {
  using connection = await connectProject({ project, env });
  const aggregated = await connection.orchestrator.call('aggregate_results', { thread_ids: [id] });
  const [outcome] = 'results' in aggregated ? aggregated.results : [];
  return { ...(outcome && { outcome }), ...(interrupted && { interrupted }) };
}

/** Whether all went as it was asked for: an interrupted thread that is suspended goes on another time. */
export function isWell({ outcome, interrupted }: SettledOutcome): boolean {
  if (!outcome) return true;
  return outcome.success || (interrupted === true && outcome.status === 'suspended');
}
