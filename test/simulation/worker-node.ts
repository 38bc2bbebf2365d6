import type { Config } from '../../src/config/config.ts';
import type { Failure } from '../../src/core/errors.ts';
import type { Tool } from '../../src/core/tool.ts';
import { createVitals } from '../../src/core/vitals.ts';
import type { ThreadWorkerTask } from '../../src/core/worker-task.ts';
import { endingPort, type WorkerLink } from '../../src/host/workers/worker-pool.ts';
import { wireWorker } from '../../src/thread/worker-runtime.ts';
import { SIMULATED } from './faults.ts';
import { asMessagePort, connectNodes, type Port, type Tamper } from './ports.ts';
import { surroundingsOf } from './surroundings.ts';
import type { Node, World } from './world.ts';

/** A thread worker. */
export interface WorkerNode {
  readonly link: WorkerLink;
  readonly isAlive: () => boolean;
  /** Something that it has said is on its way. */
  readonly isTalking: () => boolean;
  /** Everything in it is gone. What it had posted arrives, and then the host hears of it. */
  crash(): void;
}

/** What a worker is started with. */
export type WorkerNodeOptions = {
  readonly world: World;
  readonly index: number;
  readonly host: Node;
  readonly storePort: (sender: Node, left: () => void) => Port;
  readonly task: Pick<ThreadWorkerTask, 'projectPath' | 'systemDir' | 'scripts'> & { readonly config: Config };
  /** Registered tools, for the threads of this node. */
  readonly tools: (node: Node) => readonly Tool[];
  /** What happens to messages from the host. */
  readonly tamper?: Tamper | undefined;
  readonly isLate?: boolean | undefined;
};

/** Wires the shipped worker up in a node of its own. */
export function startWorker(options: WorkerNodeOptions): WorkerNode {
  const { world, index, host, task } = options;
  const node = world.node(`worker ${index}`);
  const [near, far] = connectNodes(world, { node: host, tamper: options.tamper }, { node, isLate: options.isLate });
  const left = Promise.withResolvers<void>();
  const store = options.storePort(node, left.resolve);
  const vitals = createVitals();
  const over = Promise.withResolvers<Failure | undefined>();
  const up = Promise.withResolvers<void>();
  const news = host.lane(`from worker ${index}, about itself`);
  const stop = (failure: Failure | undefined): void => {
    if (!node.isAlive()) return;
    node.kill();
    worker.services.close();
    far.close();
    store.close();
    news(() => over.resolve(failure));
  };
  const endInOrder = (failure: Failure | undefined): void => {
    worker.channel.close();
    worker.services.store.close();
    stop(failure);
  };
  const ports = { port: asMessagePort(far), control: NOBODY, store: asMessagePort(store) };
  const worker = wireWorker(
    { ...task, ...ports, ...NOTHING_MORE, index, vitals },
    surroundingsOf(world, node),
    endInOrder,
  );
  far.on('close', () => endInOrder(undefined));
  worker.services.tools.add(options.tools(node));
  news(() => node.isAlive() && up.resolve());
  const crash = (): void => stop({ code: 'worker_lost', message: `${SIMULATED} worker ${index} is gone` });
  return {
    isAlive: node.isAlive,
    isTalking: () => far.isAwaited() || store.isAwaited(),
    link: {
      number: index,
      port: endingPort(asMessagePort(near)),
      control: NOBODY,
      vitals,
      ready: up.promise,
      over: over.promise,
      leftStore: left.promise,
      end: async () => crash(),
    },
    crash,
  };
}

/** A control surface that nobody calls. Comlink keeps ports for as long as it can be: this one leads nowhere. */
const NOBODY = asMessagePort({
  postMessage: () => undefined,
  on: () => undefined,
  close: () => undefined,
  take: () => undefined,
  isAwaited: () => false,
});

const NOTHING_MORE = {
  userSpace: undefined,
  validateEvents: 'error',
  env: {},
  toolModules: [],
  registered: [],
} as const;
