/**
 * CPU time of the calling thread, µs. A kernel that counts by ticks (Linux mostly does) brings what it tells of a thread up to date
 * at each tick alone, every 4 ms at 250 Hz: `process.threadCpuUsage()` by itself is behind by up to that much, and two of them show
 * nothing or two ticks. To ask for the time of the whole process brings the calling thread up to date first, exactly.
 */
export function threadCpuUs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return user + system;
}
