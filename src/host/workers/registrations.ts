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

/** Makes an empty list; `controls` are those of the workers there are, and change with them. */
export function createRegistrations(controls: () => readonly ControlClient[]): Registrations {
  const modules: string[] = [];
  const hostTools: HostToolInfo[] = [];
  return {
    modules,
    hostTools,
    async addModule(url) {
      const told = [...controls()];
      await Promise.all(told.map((control) => control.loadTools(url)));
      modules.push(url);
      // Workers that have come meanwhile.
      await Promise.all(controls().flatMap((control) => (told.includes(control) ? [] : [control.loadTools(url)])));
    },
    async addHostTool(info) {
      hostTools.push(info);
      await Promise.all(controls().map((control) => control.addHostTool(info)));
    },
  };
}
