import type { WorkerCommand } from '../../src/core/protocol.ts';
import type { StoreReply } from '../../src/core/store.ts';
import type { StoreRequest, WireOp, WireStep } from '../../src/core/store-wire.ts';
import type { Tamper } from './ports.ts';

/** A bug that is built into the world's ports, to see that it is found. One tamper each connection. */
export type Plant = {
  readonly toStore?: () => Tamper;
  readonly toWorker?: () => Tamper;
};
