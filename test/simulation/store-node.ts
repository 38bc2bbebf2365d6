import { SkeinError, type Failure } from '../../src/core/errors.ts';
import type { Store } from '../../src/core/store.ts';
import type { StoreLink } from '../../src/host/store-link.ts';
import { openStore, type OpenStoreOptions } from '../../src/store/open.ts';
import { serveStore } from '../../src/store/store-service.ts';
import { SIMULATED } from './faults.ts';
import type { Plant } from './planted.ts';
import type { Acknowledged } from './acknowledged.ts';
import { asMessagePort, connectNodes, type Port, type Tamper } from './ports.ts';
import type { Node, World } from './world.ts';

/** How a commit goes wrong: nothing of it is on disk, or all of it is and nobody can tell. */
export type CommitFault = 'before' | 'after';

/** The store's thread. */
export interface StoreNode {
  readonly link: StoreLink;
  /** A new port for a sender that lives in this node; `left`: everything it has sent is in line. */
  portFor(sender: Node, left?: () => void): Port;
  /** The next commit fails. */
  failNext(how: CommitFault): void;
  /** Nothing more is written, and what was committed stays. */
  crash(): void;
  /** It was closed in good order. */
  readonly isClosed: () => boolean;
}

/** What a store runs on. */
export type StoreNodeOptions = {
  readonly world: World;
  readonly acknowledged: Acknowledged;
  readonly open: Omit<OpenStoreOptions, 'now'>;
  /** What happens to messages from senders. */
  readonly tamper?: Plant['toStore'] | undefined;
  readonly isLate?: boolean | undefined;
  readonly host: Node;
};

/** Opens the shipped store in a node of its own. */
export function startStore(options: StoreNodeOptions): StoreNode {
  const { world, open, host, acknowledged } = options;
  const node = world.node('store');
  const database = openStore({ ...open, now: world.now });
  const guard = guarded(database);
  const over = Promise.withResolvers<Failure | undefined>();
  let isClosed = false;
  const toHost = host.lane('from store, about itself');
  const service = serveStore<Port>({
    store: guard.store,
    schedule: node.schedule,
    // Senders post requests, nothing else.
    receive: (port) => port.take() as never,
    stopped: (failure) => toHost(() => over.resolve(failure)),
  });
  const portFor: StoreNode['portFor'] = (sender, left) => {
    const { posted, heard } = acknowledged.sender();
    const tamper = options.tamper?.((reply) => far.postMessage(reply)) ?? passOn;
    const watched: Tamper = (message, pass) => {
      posted(message);
      tamper(message, pass);
    };
    const [near, far] = connectNodes(world, { node: sender, tamper: watched, heard, isLate: options.isLate }, { node });
    service.addPort(far);
    if (left) far.on('close', () => toHost(left));
    return near;
  };
  const commands = node.lane('from host, about itself');
  return {
    portFor,
    link: {
      opened: database.opened,
      newPort: () => asMessagePort(portFor(host)),
      listen: () => undefined,
      over: over.promise,
      close: () =>
        new Promise((resolve) => {
          commands(() => {
            service.close();
            isClosed = true;
            node.kill();
            over.resolve(undefined);
            resolve();
          });
        }),
    },
    failNext: guard.failNext,
    crash() {
      node.kill();
      guard.die();
      database.close();
    },
    isClosed: () => isClosed,
  };
}

const passOn: Tamper = (message, pass) => pass(message);

type Guard = { readonly store: Store; readonly failNext: (how: CommitFault) => void; readonly die: () => void };

/** A store that can be made to fail, and that a dead service can't reach any more. */
function guarded(database: Store): Guard {
  let fault: CommitFault | undefined;
  let isDead = false;
  return {
    store: {
      commit(ops) {
        const how = fault;
        fault = undefined;
        if (how === 'before') throw new SkeinError('store_failed', `${SIMULATED} nothing was written`);
        const results = database.commit(ops);
        if (how === 'after') throw new SkeinError('store_failed', `${SIMULATED} nobody knows what was written`);
        return results;
      },
      idle() {
        if (!isDead) database.idle();
      },
      close: () => database.close(),
    },
    failNext: (how) => void (fault = how),
    die: () => void (isDead = true),
  };
}
