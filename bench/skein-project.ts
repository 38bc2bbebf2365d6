import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type * as Skein from '../src/index.ts';
import { sibling } from './sibling.ts';
import { FAN_OUT_CHILD } from './spawn-threads.ts';
import { answerOf, TOOL_NAME } from './workload.ts';

/** The package as its users import it. Its types come from the source, so that checking types needs no build. */
const PACKAGE: string = 'skein';

/** A project with the bench's directives, in a folder of its own that goes away with it. */
export type BenchProject = { readonly folder: string; readonly database: string } & Disposable;

/** Tools that start threads and ask about them, as a model sees them. */
export const SPAWN = 'rye_agent_threads_thread_directive';
export const ORCHESTRATE = 'rye_agent_threads_orchestrator';

/** A directive without inputs and tools, whose prompt all its threads share. */
const PARK = `# Park

\`\`\`xml
<directive name="park" version="1.0.0">
  <metadata>
    <description>Waits for the model</description>
    <category>bench</category>
  </metadata>
</directive>
\`\`\`

Wait.
`;

const FAN_OUT = `# Fan out

\`\`\`xml
<directive name="fan-out" version="1.0.0">
  <metadata>
    <description>Looks words up</description>
    <category>bench</category>
    <permissions><execute><tool>bench/look-up</tool></execute></permissions>
  </metadata>
  <inputs><input name="topic" type="string" required="true">What the words are about</input></inputs>
</directive>
\`\`\`

Look two words about {input:topic} up, one after the other, and say what you found.
`;

/** Spawns as many \`park\` threads as it is told. */
const NURSERY = `# Nursery

\`\`\`xml
<directive name="nursery" version="1.0.0">
  <metadata>
    <description>Starts threads that wait</description>
    <category>bench</category>
    <permissions><execute><tool>*</tool><directive>*</directive></execute></permissions>
  </metadata>
</directive>
\`\`\`

Start the threads, then wait.
`;

/** Makes a project below `scratch`. */
export function createBenchProject(scratch: string): BenchProject {
  mkdirSync(scratch, { recursive: true });
  const folder = mkdtempSync(join(scratch, 'skein-bench-'));
  const directives = join(folder, '.ai', 'directives');
  mkdirSync(directives, { recursive: true });
  writeFileSync(join(directives, 'fan-out.md'), FAN_OUT);
  writeFileSync(join(directives, 'park.md'), PARK);
  writeFileSync(join(directives, 'nursery.md'), NURSERY);
  return {
    folder,
    database: databaseOf(folder),
    [Symbol.dispose]: () => rmSync(folder, { recursive: true, force: true }),
  };
}

/** Where the threads of a project are stored. */
export function databaseOf(folder: string): string {
  return join(folder, '.ai', 'threads', 'threads.db');
}

/** How a runtime differs from the others of the bench. */
type StartOptions = {
  readonly slots?: number;
  readonly awayAfter?: number;
  readonly inspect?: Skein.RuntimeOptions['inspect'] & {};
  /** Of spaces beside the project; the system space is signed in `dist` only. */
  readonly trust?: Readonly<Record<string, 'off'>>;
  /** By default, what a kill has left is looked at, and resumed by hand. */
  readonly onRestart?: 'suspend' | 'resume';
};

/** Starts Skein on a project: everything on and durable, limits out of the way (but for `slots`), a priced scripted model. */
export async function startSkein(
  folder: string,
  scripts: Readonly<Record<string, unknown>>,
  how: StartOptions = {},
): Promise<Skein.Runtime> {
  const { createRuntime } = (await import(PACKAGE)) as typeof Skein;
  const runtime = await createRuntime({
    ...benchOptions(folder, scripts, how),
    tools: [sibling('tool-module', import.meta)],
  });
  runtime.on('problem', (failure) => console.error(`skein reports: ${failure.code}: ${failure.message}`));
  return runtime;
}

/** What the runtime of a bench is started with, but for its tools. */
export function benchOptions(
  folder: string,
  scripts: Readonly<Record<string, unknown>>,
  { slots = 10_000_000, awayAfter = 60, inspect = false, trust, onRestart = 'suspend' }: StartOptions = {},
): Skein.RuntimeOptions {
  const price = { input: 3, output: 15, cache_read: 0.3, cache_write: 3.75 };
  const model = { provider: 'scripted', context_window: 1_000_000_000, price };
  return {
    project: folder,
    userSpace: false,
    scripts,
    inspect,
    config: {
      agent: {
        models: Object.fromEntries(Object.keys(scripts).map((name) => [name, model])),
        trust: { project: 'off', ...trust },
      },
      resilience: {
        coordination: { on_restart: onRestart, passivate_waiting_seconds: awayAfter },
        concurrency: { max_total_threads: slots, max_concurrent_children: 10_000_000 },
        limits: { defaults: { turns: 1_000_000, tokens: 1_000_000_000, duration_seconds: 1_000_000 } },
      },
    },
  };
}

/** The workload's model as a script. */
export function fanOutScript(turns: number, llmMs: number): Record<string, unknown> {
  const rules = Array.from({ length: turns }, (_, index) => {
    const { text, toolInputs, inputTokens, outputTokens } = answerOf(index + 1, turns);
    return {
      turn: index + 1,
      text,
      delay_ms: llmMs,
      usage: { input_tokens: inputTokens, output_tokens: outputTokens },
      tool_calls: toolInputs.map((input) => ({ name: TOOL_NAME, input })),
    };
  });
  return { rules };
}

/** A model that never stops looking things up; a call takes `llmMs`. */
export function endlessScript(llmMs: number): Record<string, unknown> {
  return { rules: [{ text: 'On.', tool_calls: [{ name: TOOL_NAME, input: { word: 'on' } }], delay_ms: llmMs }] };
}

/** A model that fills a log: ten megabytes in calls of a tool that there is not, none so long that it is cut. */
export function longWindedScript(): Record<string, unknown> {
  const calls = Array.from({ length: 25 }, () => ({ name: 'no_such_tool', input: { word: 'heron '.repeat(5_000) } }));
  // Estimated, it would be more than a call may produce.
  const usage = { input_tokens: 100, output_tokens: 100 };
  const turns = Array.from({ length: 14 }, (_, index) => ({ turn: index + 1, tool_calls: calls, usage }));
  return { rules: [...turns, { text: 'Enough.' }] };
}

/** A model that has its thread start a child (input of `thread_directive`), and wait for it. */
export function waitScript(child: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const call = { name: SPAWN, input: child };
  return { rules: [{ turn: 1, tool_calls: [call] }, { text: 'It has ended.' }] };
}

/** A model whose calls take `llmMs` and then end the thread. */
export function parkScript(llmMs: number): Record<string, unknown> {
  return { rules: [{ text: 'Done.', delay_ms: llmMs }] };
}

/** Children that one turn spawns: a longer list would be cut short as a tool's result is. */
const MOST_CALLS = 10_000;

/** A model that has its thread start `threads` children (input of `thread_directive`: `child`), and then waits `waitMs`. */
export function nurseryScript(
  threads: number,
  child: Readonly<Record<string, unknown>>,
  waitMs: number,
): Record<string, unknown> {
  const call = { name: SPAWN, input: { ...child, async_exec: true } };
  const rounds = Math.ceil(threads / MOST_CALLS);
  const most = Math.ceil(threads / Math.max(1, rounds));
  // Without counts the many calls would be estimated, and would be more than a call may produce and a context can hold.
  const usage = { input_tokens: 100, output_tokens: 100 };
  return {
    rules: [
      { turn: 1, tool_calls: [{ name: 'bench_numbers', input: { count: most } }] },
      ...Array.from({ length: rounds }, (_, round) => {
        // Of the last turn, what is left.
        const batch = { size: Math.min(most, threads - round * most), offset: 0 };
        return { turn: round + 2, tool_calls_each: { over: '${results.bench_numbers}', batch, call }, usage };
      }),
      { text: 'All are started.', delay_ms: waitMs },
    ],
  };
}

/** Models of the processes that are killed: threads of the workload, and one with `children` such threads. */
export function killScripts(llmMs: number, children = 0): Record<string, unknown> {
  return { 'fan-out': fanOutScript(3, llmMs), nursery: nurseryScript(children, FAN_OUT_CHILD, llmMs) };
}
