import type { Config } from '../../src/config/config.ts';
import type { Failure } from '../../src/core/errors.ts';
import type { Tool } from '../../src/core/tool.ts';
import type { ThreadWorkerTask } from '../../src/core/worker-task.ts';
import type { WorkerLink } from '../../src/host/worker-pool.ts';
import { connectWorker } from '../../src/thread/worker-runtime.ts';
import { asMessagePort, connectNodes, type Port, type Tamper } from './ports.ts';
import { surroundingsOf } from './surroundings.ts';
import type { Node, World } from './world.ts';

/** A thread worker. */
export interface WorkerNode {
  readonly link: WorkerLink;
  readonly node: Node;
  /** Everything in it is gone, and the host is told. */
  crash(): void;
  /** The same, and nobody is told. */
  end(): void;
}

/** What a worker is started with. */
export type WorkerNodeOptions = {
  readonly world: World;
  readonly index: number;
  readonly host: Node;
  readonly storePort: (sender: Node) => Port;
  readonly task: Pick<ThreadWorkerTask, 'projectPath' | 'systemDir' | 'scripts'> & { readonly config: Config };
  /** Registered tools, for the threads of this node. */
  readonly tools: (node: Node) => readonly Tool[];
  /** What happens to messages from the host. */
  readonly tamper?: Tamper | undefined;
};

/** Wires the shipped worker up in a node of its own. */
export function startWorker(options: WorkerNodeOptions): WorkerNode {
  const { world, index, host, task, tamper } = options;
  const node = world.node(`worker ${index}`);
  const [near, far] = connectNodes(world, { node: host, tamper }, { node });
  // Nobody calls it.
  const [control] = connectNodes(world, { node: host }, { node });
  const over = Promise.withResolvers<Failure | undefined>();
  const news = host.lane(`from worker ${index}, about itself`);
  const crash = (failure: Failure): void => {
    node.kill();
    worker.services.close();
    news(() => over.resolve(failure));
  };
  const worker = connectWorker(
    {
      ...task,
      index,
      port: asMessagePort(far),
      control: asMessagePort(control),
      store: asMessagePort(options.storePort(node)),
      userSpace: undefined,
      validateEvents: 'error',
      env: {},
      toolModules: [],
    },
    surroundingsOf(world, node),
    crash,
  );
  worker.services.tools.add(options.tools(node));
  return {
    node,
    link: { port: asMessagePort(near), control: asMessagePort(control), over: over.promise },
    crash: () => crash({ code: 'worker_lost', message: `simulated: worker ${index} is gone` }),
    end() {
      node.kill();
      worker.services.close();
    },
  };
}
