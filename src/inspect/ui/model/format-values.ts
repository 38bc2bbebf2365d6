const COUNT = new Intl.NumberFormat('en-US');

/** `12,345`. */
export function formatCount(count: number): string {
  return COUNT.format(count);
}

/** `812`, `12.4k`, `3.1M`: for columns. */
export function formatShort(count: number): string {
  if (count < 10_000) return formatCount(count);
  return count < 999_950 ? `${(count / 1e3).toFixed(1)}k` : `${(count / 1e6).toFixed(1)}M`;
}

/** USD: `$0`, `$0.000042`, `$0.0123`, `$1.23`. Small amounts keep two digits that mean something. */
export function formatUsd(usd: number): string {
  const size = Math.abs(usd);
  if (size === 0) return '$0';
  const digits = size >= 0.995 ? 2 : Math.min(9, Math.max(2, 1 - Math.floor(Math.log10(size))));
  return `${usd < 0 ? '−' : ''}$${size.toLocaleString('en-US', { minimumFractionDigits: 2, maximumFractionDigits: digits })}`;
}

/** `12 ms`, `0.4 s`, `12.3 s`, `2 min 05 s`, `1 h 02 min`. */
export function formatDuration(ms: number): string {
  if (ms < 100) return `${Math.max(0, Math.round(ms))} ms`;
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  const minutes = Math.floor(whole / 60);
  if (minutes < 60) return `${minutes} min ${two(whole % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
}

/** As {@link formatDuration}, for columns: `54 s`, `1m 44s`, `2h 06m`, `3d 04h`. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000));
  if (seconds < 60) return `${seconds} s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${two(seconds % 60)}s`;
  const hours = Math.floor(seconds / 3_600);
  if (hours < 48) return `${hours}h ${two(Math.floor(seconds / 60) % 60)}m`;
  return `${Math.floor(hours / 24)}d ${two(hours % 24)}h`;
}

/** Time of day, `14:03:27`, with the date before it unless it is today's. */
export function formatTime(ms: number, nowMs: number): string {
  const at = new Date(ms);
  const time = `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())}`;
  if (at.toDateString() === new Date(nowMs).toDateString()) return time;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ${time}`;
}

/** The end of a thread's id, which tells threads of one run apart: `…3a61c2`. */
export function shortId(id: string): string {
  return id.length > 16 ? `…${id.slice(-6)}` : id;
}

/** `waitingForChildren` as words: `waiting for children`. */
export function asWords(name: string): string {
  return name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ');
}

function two(count: number): string {
  return String(count).padStart(2, '0');
}
