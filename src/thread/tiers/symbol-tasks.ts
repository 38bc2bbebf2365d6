import type { SymbolTasks } from '../../core/symbol-tasks.ts';
import { createSymbolPool } from '../../symbols/symbol-pool.ts';

/** Carries out the tasks of the symbol indexes that a runtime's workers have; a worker thread starts with the first one. */
export function createSymbolTasks(): SymbolTasks {
  return createSymbolPool();
}
