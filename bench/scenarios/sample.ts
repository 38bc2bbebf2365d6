import type { Job, Measured, Scenario } from '../job.ts';
import { readEvents } from '../read-back.ts';
import { createBenchProject, fanOutScript, startSkein } from '../skein-project.ts';
import { spawnFanOut } from '../spawn-threads.ts';
import { toThreadSample } from '../thread-sample.ts';

/** Reads back what Skein stores for one thread, for the lower bound to encode. Run by the driver, not a measurement. */
export const sample: Scenario = {
  name: 'sample',
  contenders: ['skein'],
  cases: ({ turns }) => [{ threads: 1, turns, llmMs: 0 }],
  measure,
};

async function measure({ params, scratch }: Job): Promise<Measured> {
  using project = createBenchProject(scratch);
  const runtime = await startSkein(project.folder, { 'fan-out': fanOutScript(params.turns, params.llmMs) });
  const thread = await spawnFanOut(runtime, 0);
  const { status } = await thread.result;
  await runtime.close();
  const taken = toThreadSample(await readEvents(project.database, thread.id));
  const isWhole = status === 'completed' && taken.turns.length === params.turns;
  const problems = isWhole ? [] : [`the thread is ${status} after ${taken.turns.length} turns`];
  return { metrics: {}, problems, sample: taken };
}
