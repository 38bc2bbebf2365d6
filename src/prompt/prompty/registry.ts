import { InvokerError } from './engine/invoker-error.ts';

/** Components of one kind by key (S4 §11). */
export interface Registry<Component> {
  /** Registers a component; one that is there under the key is replaced. */
  register(key: string, component: Component): void;
  /** @throws InvokerError naming the kind of component and the key, if nobody has registered it */
  get(key: string): Component;
  /** The keys, in the order in which they were registered. */
  keys(): readonly string[];
}

/** Makes a registry of what is there from the start. `name` says in errors what its components are. */
export function createRegistry<Component>(
  name: string,
  shipped: Readonly<Record<string, Component>>,
): Registry<Component> {
  const components = new Map(Object.entries(shipped));
  return {
    register: (key, component) => void components.set(key, component),
    get(key) {
      const found = components.get(key);
      if (found === undefined) throw new InvokerError(name, key);
      return found;
    },
    keys: () => [...components.keys()],
  };
}
