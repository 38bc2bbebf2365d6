import type { HostContext } from '../host-context.ts';

/** Nobody in line starts in this runtime: their rows stay, and the next runtime takes them up. */
export function closeLine(host: HostContext): void {
  host.slots.clear();
  for (const entry of host.table.live()) {
    entry.inLine = false;
    if (entry.phase === 'queued') entry.order = undefined;
  }
}
