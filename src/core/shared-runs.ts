/** Runs one at a time; all who ask while one is under way share the next, as it may have begun too early for them. */
export function shareRuns<T>(run: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> = Promise.resolve();
  let next: Promise<T> | undefined;
  const start = (): Promise<T> => {
    next = undefined;
    return run();
  };
  return () => {
    // Whoever asked for the one before hears of its failure.
    next ??= running.then(start, start);
    running = next;
    return next;
  };
}
