import { createGrammars } from '../src/symbols/grammars.ts';
import { runTask } from '../src/symbols/run-task.ts';

const grammars = createGrammars();

/** One task of a symbol index, as JSON. Parsers stay loaded from one to the next. Named for the reason given in thread.worker.ts. */
export async function run(task: string): Promise<string> {
  // Written by `createSymbolRunner`.
  return JSON.stringify(await runTask(JSON.parse(task) as Parameters<typeof runTask>[0], grammars));
}
