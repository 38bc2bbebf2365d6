import { createGrammars } from '../src/symbols/grammars.ts';
import { parseFiles } from '../src/symbols/parse-files.ts';
import { scanFiles } from '../src/symbols/scan-files.ts';
import type { ParseResult, ParseTask, ScanResult, ScanTask } from '../src/symbols/symbol-task.ts';

const grammars = createGrammars();

/** One task of the symbol index. Parsers stay loaded from one to the next. */
export default async function run(task: ScanTask | ParseTask): Promise<ScanResult | ParseResult> {
  return task.kind === 'scan' ? scanFiles(task) : await parseFiles(task, grammars);
}
