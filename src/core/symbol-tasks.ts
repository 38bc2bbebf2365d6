/**
 * Carries out the tasks of symbol indexes in one worker of a runtime. Tasks and results are JSON texts: who hands them on
 * does not read them, and a long text is cloned in no time.
 */
export interface SymbolTasks {
  /** Rejects for this task alone. */
  run(task: string): Promise<string>;
  close(): Promise<void>;
}

/** Loads what carries them out; nothing is loaded before the first task. */
export type LoadSymbolTasks = () => Promise<SymbolTasks>;
