/*
 * Workers the way one would first write them: each call of the model is a task of a Piscina pool (as in its readme), and
 * each call of the tool a remote call over Comlink (as in `docs/examples/06-node-example` of its package). The loop stays
 * in the main thread.
 *
 * Why this is fair: pool and worker are started once, with one thread each. The pool takes as many tasks at once as there
 * are threads, or calls of 100 ms would stand in line, and has its atomics off, which was the cheapest of the three settings.
 * A task is given the messages, as a call of a model needs them. There is no event log, no money, no limit and nothing
 * durable.
 */
import { Worker } from 'node:worker_threads';
import { fileURLToPath } from 'node:url';
import * as comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import { Piscina } from 'piscina';
import type { Answer } from '../workload.ts';
import type { Contender, ContenderSetup, Finished } from './contender.ts';
import { createInMemory } from './in-memory.ts';
import type { ModelCall } from './model-task.ts';
import type { Message } from './plain-thread.ts';
import type { ToolServer } from './tool-server.ts';

/** Makes the contender. */
export async function createPiscinaComlink(setup: ContenderSetup): Promise<Contender> {
  const { turns, llmMs, threads } = setup.params;
  const pool = new Piscina<ModelCall, Answer>({
    filename: fileURLToPath(new URL('./model-task.ts', import.meta.url)),
    minThreads: 1,
    maxThreads: 1,
    concurrentTasksPerWorker: threads,
    atomics: 'disabled',
  });
  const worker = new Worker(new URL('./tool-server.ts', import.meta.url));
  const tools = comlink.wrap<ToolServer>(nodeEndpoint(worker));
  const runThread = async (prompt: string): Promise<Finished> => {
    const messages: Message[] = [{ role: 'user', text: prompt }];
    let toolResults = 0;
    for (;;) {
      const answer = await pool.run({ messages, turns, llmMs });
      messages.push({ role: 'assistant', text: answer.text, toolInputs: answer.toolInputs });
      const [toolInput] = answer.toolInputs;
      if (!toolInput) return { answers: messages.length - 1 - toolResults, toolResults, text: answer.text };
      messages.push({ role: 'tool', text: JSON.stringify(await tools.lookUp(toolInput)) });
      toolResults++;
    }
  };
  return createInMemory(setup, {
    runThread,
    close: () => Promise.all([pool.destroy(), worker.terminate()]),
  });
}
