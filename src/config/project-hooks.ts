import { isRecord } from '../core/record.ts';
import type { ConfigName, Layer } from './layers.ts';
import { projectMayVouch } from './project-rules.ts';

type Layers = Readonly<Record<ConfigName, readonly Layer[]>>;

/** Whose whole hooks a project may not change: of those that its own are merged with, all but what ships. */
const GUARDED: Readonly<Record<'hooks' | 'hook_conditions', readonly Layer['level'][]>> = {
  hooks: ['overrides'],
  hook_conditions: ['user', 'overrides'],
};

/**
 * The layers without the hooks that a project may not have, of which there are warnings. Config is not signed, and its
 * hooks may do everything: where the project may not vouch for its items, its files of hooks do not count. And where
 * the user or code gives a whole hook, the project's of that id does not: merged with it, it could switch it off.
 */
export function admitProjectHooks(layers: Layers, warnings: string[]): Layers {
  const mayHaveHooks = projectMayVouch(layers.agent);
  const admit = (name: keyof typeof GUARDED): readonly Layer[] => {
    const guards = layers[name].filter(({ level }) => GUARDED[name].includes(level));
    if (!mayHaveHooks) return withoutProject(layers[name], warnings);
    return layers[name].map((layer) => (layer.level === 'project' ? withoutGuarded(layer, guards, warnings) : layer));
  };
  return { ...layers, hooks: admit('hooks'), hook_conditions: admit('hook_conditions') };
}

/** Nor does what code changes of the project's hooks count: there is nothing left to change. */
function withoutProject(layers: readonly Layer[], warnings: string[]): readonly Layer[] {
  const left = layers.filter(({ level }) => level === 'project');
  const kept = layers.filter(({ level }) => level !== 'project');
  for (const { file } of left)
    warnings.push(`${file} does not count: trust.project is strict, and nobody has signed these hooks`);
  return kept.map((layer) => {
    if (layer.level !== 'overrides') return layer;
    return eachList(
      layer,
      (key, { id, event }) => event !== undefined || !gives(left, key, id) || gives(kept, key, id),
    );
  });
}

function withoutGuarded(layer: Layer, guards: readonly Layer[], warnings: string[]): Layer {
  return eachList(layer, (key, { id }) => {
    if (!gives(guards, key, id)) return true;
    warnings.push(
      `${layer.file}: the hook "${String(id)}" does not count, since the user or code gives one of that id`,
    );
    return false;
  });
}

/** The layer with those hooks of its lists that are to stay. What is no list, or no hook, is refused by others. */
function eachList(layer: Layer, stays: (list: string, hook: Readonly<Record<string, unknown>>) => boolean): Layer {
  const kept = Object.entries(layer.document).map(([key, list]) => {
    const hooks: unknown = Array.isArray(list) ? list.filter((hook) => !isRecord(hook) || stays(key, hook)) : list;
    return [key, hooks] as const;
  });
  return { ...layer, document: Object.fromEntries(kept) };
}

/** Whether one of these layers gives a whole hook of this id in a list, which has not been checked yet: one without an event changes another. */
function gives(layers: readonly Layer[], list: string, id: unknown): boolean {
  return layers.some(({ document }) => {
    const hooks: unknown = document[list];
    return (
      Array.isArray(hooks) && hooks.some((hook) => isRecord(hook) && hook['id'] === id && hook['event'] !== undefined)
    );
  });
}
