import type { MessagePort } from 'node:worker_threads';
import type { PortLike, Schedule } from '../../src/core/batched-port.ts';
import type { StoreReply } from '../../src/core/store.ts';
import type { StoreRequest } from '../../src/core/store-wire.ts';

type Listener = (message: unknown) => void;

/** Two ports of one thread: what is posted at one arrives at the other with the next tick, as it is. */
export function connectDirectly(schedule: Schedule): readonly [MessagePort, MessagePort] {
  const listeners: [Listener, Listener] = [ignore, ignore];
  const end = (here: 0 | 1, there: 0 | 1): MessagePort =>
    asMessagePort({
      postMessage: (message) => schedule(() => listeners[there](message)),
      on(event, listener) {
        if (event === 'message') listeners[here] = listener;
      },
      close: () => undefined,
    });
  return [end(0, 1), end(1, 0)];
}

/** A port to a store that acknowledges everything with the next tick, and keeps nothing. */
export function portToNothing(schedule: Schedule): MessagePort {
  let listener: Listener = ignore;
  return asMessagePort({
    postMessage(message) {
      // Only requests are posted to a store.
      const { batch } = message as StoreRequest;
      schedule(() => listener({ batch, results: [] } satisfies StoreReply));
    },
    on: (_event, given) => (listener = given),
    close: () => undefined,
  });
}

const ignore: Listener = () => undefined;

/** What takes real ports uses of them what {@link PortLike} has. */
function asMessagePort(port: PortLike): MessagePort {
  return port as unknown as MessagePort;
}
