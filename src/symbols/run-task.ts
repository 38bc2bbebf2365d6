import { readSymbols } from './file-symbols.ts';
import type { Grammars } from './grammars.ts';
import { languageOf } from './languages.ts';
import { parseFiles } from './parse-files.ts';
import { scanFiles } from './scan-files.ts';
import type { OutlineResult, OutlineTask, ParseResult, ParseTask, ScanResult, ScanTask } from './symbol-task.ts';

/** Carries out a task of a symbol index. */
export async function runTask(
  task: ScanTask | ParseTask | OutlineTask,
  grammars: Grammars,
): Promise<ScanResult | ParseResult | OutlineResult> {
  switch (task.kind) {
    case 'scan':
      return scanFiles(task);
    case 'parse':
      return await parseFiles(task, grammars);
    case 'outline':
      return await outlineText(task, grammars);
  }
}

async function outlineText({ path, text }: OutlineTask, grammars: Grammars): Promise<OutlineResult> {
  const found = languageOf(path);
  if (!found) return {};
  const { block, problem } = readSymbols({ path, text, language: found.language }, await grammars(found.grammar));
  return problem === undefined ? { block } : {};
}
