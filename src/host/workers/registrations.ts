import type { HostToolInfo } from '../../core/control-surface.ts';
import type { ControlClient } from './control-client.ts';

/** What was registered with a runtime since its start: workers that come later know it from the beginning. */
export interface Registrations {
  /** Has a module loaded in every worker. @throws SkeinError what is wrong with it; then it is not registered */
  addModule(url: string): Promise<void>;
  addHostTool(info: HostToolInfo): Promise<void>;
  readonly modules: readonly string[];
  readonly hostTools: readonly HostToolInfo[];
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
  const modules: string[] = [];
  const hostTools: HostToolInfo[] = [];
  return {
    modules,
    hostTools,
    async addModule(url) {
      const told = [...controls()];
      await tell(told, (control) => control.loadTools(url));
      modules.push(url);
      const late = controls().filter((control) => !told.includes(control));
      await tell(late, (control) => control.loadTools(url));
    },
    async addHostTool(info) {
      hostTools.push(info);
      await tell([...controls()], (control) => control.addHostTool(info));
    },
  };
}
