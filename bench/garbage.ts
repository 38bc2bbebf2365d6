/** Collects this isolate's garbage; needs `--expose-gc`. Three times, since a pass only queues finalizers. */
export async function collectGarbage(): Promise<void> {
  if (!globalThis.gc) throw new Error('start Node with --expose-gc');
  for (let pass = 0; pass < 3; pass++) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Waits. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
