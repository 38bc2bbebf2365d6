/** How a metric is shown. */
export type Metric = { readonly label: string; readonly unit: string; readonly digits: number };

/** Every metric a scenario may report, by the name it has in the results. */
export const METRICS: Readonly<Record<string, Metric>> = {
  cpu_per_turn: { label: 'CPU per turn', unit: 'µs', digits: 1 },
  wall: { label: 'wall time', unit: 's', digits: 2 },
  threads_per_second: { label: 'threads per second', unit: '1/s', digits: 0 },
  peak_rss: { label: 'peak RSS', unit: 'MB', digits: 0 },
  events_per_thread: { label: 'events per thread', unit: '', digits: 2 },
  event_bytes_per_thread: { label: 'event bytes per thread', unit: 'B', digits: 0 },
  ledger_rows_per_thread: { label: 'ledger rows per thread', unit: '', digits: 2 },
  checkpoints_per_thread: { label: 'checkpoints per thread', unit: '', digits: 2 },
  events_lost: { label: 'events lost', unit: '', digits: 0 },
  money_difference: { label: 'money difference', unit: 'nano-USD', digits: 0 },
  close_cpu: { label: 'CPU of closing', unit: 'ms', digits: 0 },
  heap_per_thread: { label: 'heap per parked thread', unit: 'B', digits: 0 },
  worker_heap_per_thread: { label: '… thread workers', unit: 'B', digits: 0 },
  host_heap_per_thread: { label: '… host', unit: 'B', digits: 0 },
  store_heap_per_thread: { label: '… store worker', unit: 'B', digits: 0 },
  rss_per_thread: { label: 'RSS per parked thread (noisy)', unit: 'B', digits: 0 },
  prompt_bytes: { label: 'prompt text, part of it where it is not shared', unit: 'B', digits: 0 },
  cancel_latency: { label: 'call to last acknowledged ending', unit: 'ms', digits: 0 },
  cancel_call: { label: '… of which the calls themselves', unit: 'ms', digits: 1 },
  last_call_after_cancel: { label: 'last model call started after the call', unit: 'ms', digits: 1 },
  calls_after_cancel: { label: 'model calls started after the call', unit: '', digits: 0 },
  calls_after_50ms: { label: 'model calls started later than 50 ms', unit: '', digits: 0 },
  cancel_cpu: { label: 'CPU of the cancel', unit: 'ms', digits: 0 },
  host_task_max: { label: 'longest host task', unit: 'ms', digits: 2 },
  host_task_after_loop: { label: "longest host task after the caller's loop", unit: 'ms', digits: 2 },
  host_task_p99: { label: 'host task, p99 of busy ones', unit: 'ms', digits: 2 },
  host_cpu_share: { label: 'host CPU share', unit: '%', digits: 0 },
  spawn_early: { label: 'CPU per spawn, at a tenth', unit: 'µs', digits: 1 },
  spawn_late: { label: 'CPU per spawn, at the end', unit: 'µs', digits: 1 },
  spawn_ratio: { label: 'late ÷ early', unit: '×', digits: 2 },
  directives_parsed: { label: 'directives parsed', unit: '1/s', digits: 0 },
  tools_parsed: { label: 'tools parsed', unit: '1/s', digits: 0 },
  knowledge_parsed: { label: 'knowledge items parsed', unit: '1/s', digits: 0 },
  signatures_checked: { label: 'signatures checked', unit: '1/s', digits: 0 },
  directives_loaded: { label: 'directives found, read, verified and parsed', unit: '1/s', digits: 0 },
  prompts_cold: { label: 'prompts of directives not seen before', unit: '1/s', digits: 0 },
  prompts_cached: { label: 'prompts of directives seen before', unit: '1/s', digits: 0 },
  directives_cached: { label: 'directives from the cache', unit: '1/s', digits: 0 },
  index_time: { label: 'first index', unit: 's', digits: 2 },
  index_cpu: { label: '… CPU', unit: 's', digits: 2 },
  refresh_unchanged: { label: 'look that finds nothing changed', unit: 'ms', digits: 0 },
  query_p50: { label: 'query, p50', unit: 'ms', digits: 2 },
  query_p95: { label: 'query, p95', unit: 'ms', digits: 2 },
  cpu_per_call: { label: 'CPU per streamed call', unit: 'µs', digits: 0 },
  call_ratio: { label: '… ÷ plain undici.request', unit: '×', digits: 2 },
  query_max: { label: 'query, slowest', unit: 'ms', digits: 1 },
};

/** A value as it stands in the table. */
export function formatMetric(name: string, value: number): string {
  return value.toFixed(METRICS[name]?.digits ?? 2);
}
