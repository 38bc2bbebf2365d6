import { createBatchedPort, type BatchedPort, type PortLike } from '../../core/batched-port.ts';
import type { ThreadNo } from '../../core/ids.ts';
import type { WorkerCommand, WorkerReport } from '../../core/protocol.ts';
import type { Slices } from '../../core/slices.ts';
import type { Surroundings } from '../../core/surroundings.ts';

/** The host's ports to its thread workers, by the number of the worker; what is sent to one that is not there is dropped. */
export interface Gateway {
  send(worker: number, command: WorkerCommand): void;
  broadcast(command: WorkerCommand): void;
  close(): void;
}

/** A gateway whose workers come and go. */
export interface OpenGateway extends Gateway {
  add(worker: number, port: PortLike): void;
  /** Closes the port of a worker, which ends by that if it has not ended before. */
  drop(worker: number): void;
}

/** What a gateway is made from. */
export type GatewayOptions = Pick<Surroundings, 'schedule'> & {
  /** Of the workers 0, 1, … */
  readonly ports: readonly PortLike[];
  readonly receive: (worker: number, report: WorkerReport) => void;
  /** What reports are handled in. */
  readonly slices: Slices;
  /** Told of a command that can't travel to its worker and that nobody waits for in the worker. */
  readonly unsent: (command: WorkerCommand) => void;
};

/** Connects to the workers: one message per tick and port, reports handled in slices. */
export function createGateway({ ports, receive, slices, schedule, unsent }: GatewayOptions): OpenGateway {
  const channels = new Map<number, BatchedPort<WorkerCommand>>();
  let isClosed = false;
  const add = (worker: number, port: PortLike): void => {
    const channel = createBatchedPort<WorkerCommand, WorkerReport>({
      port,
      schedule,
      receive(report) {
        // What still stands in line when the runtime stops would meet parts that are closed.
        if (!isClosed) receive(worker, report);
      },
      line: slices.line(),
      merge: mergeCancels,
      refused(message) {
        // Only commands are sent.
        const command = message as WorkerCommand;
        if (command.type === 'answer') channel.send(cannotTravel(command.ref));
        else unsent(command);
      },
    });
    channels.set(worker, channel);
  };
  for (const [worker, port] of ports.entries()) add(worker, port);
  return {
    add,
    drop(worker) {
      channels.get(worker)?.close();
      channels.delete(worker);
    },
    send: (worker, command) => channels.get(worker)?.send(command),
    broadcast(command) {
      for (const channel of channels.values()) channel.send(command);
    },
    close() {
      isClosed = true;
      for (const channel of channels.values()) channel.close();
    },
  };
}

/** A loop that cancels thousands is told as some lists of numbers. */
function mergeCancels(last: WorkerCommand, command: WorkerCommand): boolean {
  if (last.type !== 'cancel' || command.type !== 'cancel' || last.reason !== command.reason) return false;
  // Made for this message alone, by those who cancel.
  (last.threads as ThreadNo[]).push(...command.threads);
  return true;
}

/** What a worker hears instead of an answer that holds a function, a symbol or the like; those of functions are seen to before. */
function cannotTravel(ref: number): WorkerCommand {
  const message = 'The host has an answer that cannot be sent to a worker';
  return { type: 'answer', ref, failure: { code: 'tool_failed', message } };
}
