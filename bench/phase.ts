import { watchHost, type HostTasks } from './host-probe.ts';

/** What a stretch of work took: CPU of all threads of this process, in µs. */
export type Taken<Value> = { readonly value: Value; readonly cpuUs: number; readonly wallMs: number };

/** Does the work that is measured. */
export async function measureCpu<Value>(work: () => Promise<Value>): Promise<Taken<Value>> {
  const before = process.cpuUsage();
  const from = performance.now();
  const value = await work();
  const wallMs = performance.now() - from;
  const { user, system } = process.cpuUsage(before);
  return { value, cpuUs: user + system, wallMs };
}

/**
 * The same, and looks at the host's tasks meanwhile. That costs 2 to 4 % of a processor for as long as it takes, which is in
 * the CPU: what is compared with others is measured without.
 */
export async function measurePhase<Value>(
  work: () => Promise<Value>,
): Promise<Taken<Value> & { readonly host: HostTasks }> {
  const watch = watchHost();
  try {
    const taken = await measureCpu(work);
    return { ...taken, host: watch.stop() };
  } finally {
    watch.stop();
  }
}

/** What every scenario with a host reports of it. */
export function hostMetrics({ max, p99, share }: HostTasks): Record<string, number> {
  return { host_task_max: max, host_task_p99: p99, host_cpu_share: share };
}
