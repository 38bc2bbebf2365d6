import type { Probe } from './isolates.ts';
import type { Runtime, ThreadHandle } from '../src/index.ts';

/** Milliseconds that a parked model call takes; an unusual number, since the probe counts timers of this length. */
export const PARK_MS = 3_600_007;

const CHUNK = 250;

/** Starts threads of the directive `park` and waits until each is in its model call. */
export async function parkThreads(runtime: Runtime, probe: Probe, count: number): Promise<ThreadHandle[]> {
  const wanted = probe.calls() + count;
  const handles: ThreadHandle[] = [];
  while (handles.length < count) {
    const wave = Array.from({ length: Math.min(CHUNK, count - handles.length) }, () =>
      runtime.spawn('park', {}, { model: 'scripted:park' }),
    );
    handles.push(...(await Promise.all(wave)));
  }
  await probe.callsReach(wanted);
  return handles;
}

/** Parks threads and cancels them, so that everything on their way has been compiled. */
export async function warmUp(runtime: Runtime, probe: Probe, count: number): Promise<void> {
  const handles = await parkThreads(runtime, probe, count);
  await Promise.all(handles.map((handle) => handle.cancel('warm-up')));
}
