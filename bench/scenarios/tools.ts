import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { collectGarbage } from '../garbage.ts';
import { sizesOr, type Job, type Measured, type Scenario } from '../job.ts';
import { hostMetrics, measureCpu, measurePhase } from '../phase.ts';
import { cpuOfChildren } from '../process-cpu.ts';
import { readBack, rowsPerThread } from '../read-back.ts';
import { createBenchProject, startSkein, type BenchProject } from '../skein-project.ts';
import type { Runtime } from '../../src/index.ts';

const CALLS = 2;
const WARM_UP = 4;

/**
 * N threads that call a tool of the project twice, each call a process of its own; beside it the same processes without
 * Skein, as many at a time as there are processors. CPU is that of this process and of the launchers which start tools for
 * Skein: that of the tools is not in it.
 */
export const tools: Scenario = {
  name: 'tools',
  contenders: ['skein', 'child-process'],
  cases: ({ threads, isLong }) =>
    sizesOr(threads, isLong ? [40] : [20]).map((count) => ({ threads: count, turns: CALLS + 1, llmMs: 0 })),
  measure: (job) => (job.contender === 'skein' ? measureSkein(job) : measureBare(job)),
};

const LOOK_UP = `export const __version__ = '1.0.0';
export const __tool_description__ = 'Looks a word up in a process of its own';
export const CONFIG_SCHEMA = { type: 'object', properties: { word: { type: 'string' } }, required: ['word'] };
export const execute = ({ word }) => ({ word, meaning: 'the meaning of ' + word });
`;

const DIRECTIVE = `# Ask outside

\`\`\`xml
<directive name="ask-outside" version="1.0.0">
  <metadata>
    <description>Looks words up outside</description>
    <category>bench</category>
    <permissions><execute><tool>outside/look-up</tool></execute></permissions>
  </metadata>
</directive>
\`\`\`

Look two words up.
`;

async function measureSkein({ params, scratch }: Job): Promise<Measured> {
  using project = createBenchProject(scratch);
  writeTool(project);
  const call = { name: 'outside_look_up', input: { word: 'on' } };
  const rules = Array.from({ length: CALLS }, (_, index) => ({ turn: index + 1, tool_calls: [call] }));
  const runtime = await startSkein(project.folder, { outside: { rules: [...rules, { text: 'Both are found.' }] } });
  await run(runtime, WARM_UP);
  // What a start leaves behind is no part of a call.
  await collectGarbage();
  const launchersBefore = cpuOfChildren();
  const { cpuUs, wallMs, host } = await measurePhase(() => run(runtime, params.threads));
  const launchersUs = cpuOfChildren() - launchersBefore;
  await runtime.close();
  const found = await readBack(project.database, 'all');
  const { problems, statuses, threads } = found;
  return {
    metrics: {
      ...perCall(params.threads * CALLS, cpuUs + launchersUs, wallMs),
      ...hostMetrics(host),
      ...rowsPerThread(found),
    },
    problems: [...problems, ...(statuses['completed'] === threads ? [] : [JSON.stringify(statuses)])],
  };
}

function writeTool({ folder }: BenchProject): void {
  const tool = join(folder, '.ai', 'tools', 'outside');
  mkdirSync(tool, { recursive: true });
  writeFileSync(join(tool, 'look-up.js'), LOOK_UP);
  writeFileSync(join(folder, '.ai', 'directives', 'ask-outside.md'), DIRECTIVE);
}

async function run(runtime: Runtime, threads: number): Promise<void> {
  const options = { model: 'scripted:outside' };
  const spawned = Array.from({ length: threads }, () => runtime.spawn('ask-outside', {}, options));
  for (const handle of await Promise.all(spawned)) {
    const { status, error, cost } = await handle.result;
    if (status !== 'completed' || cost.turns !== CALLS + 1)
      throw new Error(`${handle.id} is ${status}: ${error?.message}`);
  }
}

/** The tool's own program, which reads its input and writes its result. */
const PROGRAM = `${LOOK_UP.replaceAll('export ', '')}
let text = '';
process.stdin.on('data', (piece) => (text += piece));
process.stdin.on('end', () => process.stdout.write(JSON.stringify(execute(JSON.parse(text)))));`;

async function measureBare({ params }: Job): Promise<Measured> {
  const calls = params.threads * CALLS;
  await callAll(WARM_UP * CALLS);
  await collectGarbage();
  const { cpuUs, wallMs } = await measureCpu(() => callAll(calls));
  return { metrics: { ...perCall(calls, cpuUs, wallMs), events_per_thread: 0 }, problems: [] };
}

async function callAll(calls: number): Promise<void> {
  let left = calls;
  const caller = async (): Promise<void> => {
    while (left-- > 0) await callProgram();
  };
  await Promise.all(Array.from({ length: availableParallelism() }, caller));
}

async function callProgram(): Promise<void> {
  const child = spawn(process.execPath, ['-e', PROGRAM], { stdio: ['pipe', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.on('data', (piece) => (output += String(piece)));
  child.stdin.end(JSON.stringify({ word: 'on' }));
  await once(child, 'close');
  const { meaning } = JSON.parse(output) as { readonly meaning: unknown };
  if (meaning !== 'the meaning of on') throw new Error(`the program said ${output}`);
}

function perCall(calls: number, cpuUs: number, wallMs: number): Record<string, number> {
  return { cpu_per_call: cpuUs / calls, calls_per_second: calls / (wallMs / 1_000), wall: wallMs / 1_000 };
}
