import type { Runtime, ThreadHandle } from '../src/index.ts';

/** A thread of the workload as the child of another: input of `thread_directive`. */
export const FAN_OUT_CHILD = {
  directive_name: 'fan-out',
  model: 'scripted:fan-out',
  inputs: { topic: 'anything' },
} as const;

/** Starts one thread of the workload. */
export function spawnFanOut(runtime: Runtime, index: number): Promise<ThreadHandle> {
  return runtime.spawn('fan-out', { topic: `topic ${index}` }, { model: 'scripted:fan-out' });
}

/** Threads that are asked for in one turn of the event loop: what a caller does in one go is a task of the host. */
export const WAVE = 100;

/** How many threads are started, and how. */
export type Waves = {
  readonly threads: number;
  /** Threads that are asked for at once; the next ones when these are admitted. */
  readonly wave: number;
  readonly spawn: (index: number) => Promise<ThreadHandle>;
  readonly afterWave?: () => Promise<void>;
};

/** Starts threads wave by wave, so that the caller's own loop is not what is measured. */
export async function spawnInWaves({ threads, wave, spawn, afterWave }: Waves): Promise<ThreadHandle[]> {
  const handles: ThreadHandle[] = [];
  while (handles.length < threads) {
    const from = handles.length;
    const spawned = Array.from({ length: Math.min(wave, threads - from) }, (_, index) => spawn(from + index));
    handles.push(...(await Promise.all(spawned)));
    await afterWave?.();
  }
  return handles;
}
