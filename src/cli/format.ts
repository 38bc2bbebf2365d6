/** `12,345`. */
export function formatCount(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** `1 thread`, `12,345 threads`. */
export function plural(count: number, what: string): string {
  return `${formatCount(count)} ${what}${count === 1 ? '' : 's'}`;
}

/** `0.4 s`, `12.3 s`, `2 min 05 s`, `1 h 02 min`. */
export function formatDuration(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(Math.round(seconds) / 60);
  if (minutes < 60) return `${minutes} min ${two(Math.round(seconds) % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

const UNITS = ['kB', 'MB', 'GB', 'TB'] as const;

/** `0 B`, `812 B`, `1.4 MB`. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const power = Math.min(UNITS.length, Math.floor(Math.log10(bytes) / 3));
  return `${(bytes / 1000 ** power).toFixed(1)} ${UNITS[power - 1] ?? ''}`;
}

function two(count: number): string {
  return String(count).padStart(2, '0');
}
