import type { HostToolInfo } from '../../core/control-surface.ts';
import type { ControlClient } from './control-client.ts';

/** What was registered with a runtime since its start: workers that come later know it from the beginning. */
export interface Registrations {
  /** Has a module loaded in every worker. @throws SkeinError what is wrong with it; then it is not registered */
  addModule(url: string): Promise<void>;
  addHostTool(info: HostToolInfo): Promise<void>;
  /** URLs of modules, and functions of the host, in the order they were registered in. */
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
  return {
    all,
    async addModule(url) {
      const told = [...controls()];
      await tell(told, (control) => control.loadTools(url));
      all.push(url);
      const late = controls().filter((control) => !told.includes(control));
      await tell(late, (control) => control.loadTools(url));
    },
    async addHostTool(info) {
      all.push(info);
      await tell([...controls()], (control) => control.addHostTool(info));
    },
  };
}
