import type { HostToolInfo } from '../../core/control-surface.ts';
import type { ControlClient } from './control-client.ts';

/** What was registered with a runtime since its start: workers that come later know it from the beginning. */
export interface Registrations {
  /** Has a module loaded in every worker. @throws SkeinError what is wrong with it; then it is not registered */
  addModule(url: string): Promise<void>;
  /** Makes a function of the host known to every worker. @throws as `addModule` */
  addHostTool(info: HostToolInfo): Promise<void>;
  /** URLs of modules, and functions of the host, in the order they were registered in; of what was registered again, the last. */
  readonly all: readonly (string | HostToolInfo)[];
}

/** What a worker is told of tools by. */
type ControlTools = Pick<ControlClient, 'loadTools' | 'addHostTool'>;

/** Makes an empty list; `controls` are those of the workers there are, and change with them. */
export function createRegistrations(controls: () => readonly ControlTools[]): Registrations {
  // One that is gone meanwhile has no need of it: whoever comes in its place knows it from the beginning, or is told.
  const tell = async (
    told: readonly ControlTools[],
    how: (control: ControlTools) => Promise<unknown>,
  ): Promise<void> => {
    const telling = async (control: ControlTools): Promise<void> => {
      try {
        await how(control);
      } catch (thrown) {
        if (controls().includes(control)) throw thrown;
      }
    };
    await Promise.all(told.map(telling));
  };
  const all: (string | HostToolInfo)[] = [];
  const add = async (entry: string | HostToolInfo, how: (control: ControlTools) => Promise<unknown>): Promise<void> => {
    const told = [...controls()];
    await tell(told, how);
    const before = all.findIndex((one) => nameOf(one) === nameOf(entry));
    if (before >= 0) all.splice(before, 1);
    all.push(entry);
    const late = controls().filter((control) => !told.includes(control));
    await tell(late, how);
  };
  return {
    all,
    addModule: (url) => add(url, (control) => control.loadTools(url)),
    addHostTool: (info) => add(info, (control) => control.addHostTool(info)),
  };
}

function nameOf(entry: string | HostToolInfo): string {
  return typeof entry === 'string' ? entry : entry.id;
}
