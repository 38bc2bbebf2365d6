import type { ThreadOutcome } from '../core/operations.ts';
import { connectProject } from '../index.ts';
import { howToGoOn } from './how-to-go-on.ts';
import type { CliIo } from './io.ts';

/** How a thread stands, and whether that is because somebody interrupted the command. */
export type SettledOutcome = { readonly outcome?: ThreadOutcome; readonly interrupted?: true };

/** How a thread has come out of the runtime that a command had for itself, once that is closed; stderr says how to go on. */
export async function storedOutcome(
  id: string,
  { project, interrupted }: { readonly project: string; readonly interrupted: boolean },
  { env, stderr }: Pick<CliIo, 'env' | 'stderr'>,
): Promise<SettledOutcome> {
  const advice = await howToGoOn(id, project, env);
  if (advice !== undefined) stderr.write(`${advice}\n`);
  using connection = await connectProject({ project, env });
  const aggregated = await connection.orchestrator.call('aggregate_results', { thread_ids: [id] });
  const [outcome] = 'results' in aggregated ? aggregated.results : [];
  const last = outcome?.continued_as ?? id;
  const stands = await connection.orchestrator.call('get_status', { thread_id: last });
  const isCutOff = interrupted && 'suspend_reason' in stands && stands.suspend_reason === 'shutdown';
  return { ...(outcome && { outcome }), ...(isCutOff && { interrupted: true }) };
}

/** Whether all went as it was asked for: an interrupted thread that is suspended goes on another time. */
export function isWell({ outcome, interrupted }: SettledOutcome): boolean {
  if (!outcome) return true;
  return outcome.success || interrupted === true;
}
