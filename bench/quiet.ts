import { sleep } from './garbage.ts';

const LOOK_MS = 100;
/** Looks in a row at which next to nothing was done. */
const QUIET_LOOKS = 3;
const QUIET_SHARE = 0.2;

/** Waits until this process has nothing to do but to wait. */
export async function quiet(): Promise<void> {
  for (let looks = 0; looks < QUIET_LOOKS;) {
    const before = process.cpuUsage();
    await sleep(LOOK_MS);
    const { user, system } = process.cpuUsage(before);
    looks = user + system < QUIET_SHARE * LOOK_MS * 1_000 ? looks + 1 : 0;
  }
}
