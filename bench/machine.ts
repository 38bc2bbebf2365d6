import { availableParallelism, cpus, totalmem } from 'node:os';

/** What the numbers were taken on; nothing that tells whose machine it is. */
export type MachineInfo = {
  readonly cores: number;
  readonly processor: string;
  readonly memoryGb: number;
  readonly platform: string;
  readonly node: string;
};

/** Describes this machine. */
export function describeMachine(): MachineInfo {
  return {
    cores: availableParallelism(),
    processor: cpus()[0]?.model.trim() ?? 'unknown',
    memoryGb: Math.round(totalmem() / 2 ** 30),
    platform: `${process.platform} ${process.arch}`,
    node: process.version,
  };
}
