import { SkeinError } from '../core/errors.ts';
import type { ToolItem } from '../core/item.ts';
import type { Env } from './child-env.ts';
import { said } from './chain-config.ts';
import type { Chain } from './execution-chain.ts';

/** What the user lets tools see: the runtime's environment, and the names in it that `tools.env` of agent.yaml lists. */
export type UserEnv = { readonly env: Env; readonly envNames: readonly string[] };

/**
 * The names of variables that a chain may see beyond the basic ones: those the user lists, and those that links of the
 * user's or the system's space name in their `config.env`. A file of a project is often somebody else's: what it names
 * must be on the user's list.
 *
 * @throws SkeinError `permission_denied` naming the variables and where to allow them.
 */
export function grantedNames({ links }: Chain, { envNames }: UserEnv): readonly string[] {
  const asked = links.map((link) => ({ link, names: namesIn(link) }));
  for (const { link, names } of asked) {
    const denied = link.space === 'project' ? names.filter((name) => !envNames.includes(name)) : [];
    if (denied.length > 0) throw refusal(link, denied);
  }
  return [...new Set([...envNames, ...asked.flatMap(({ names }) => names)])];
}

function namesIn(link: ToolItem): readonly string[] {
  const names = said(link, 'env');
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

function refusal(link: ToolItem, names: readonly string[]): SkeinError {
  const message =
    `${link.id} of the project asks for ${names.join(', ')} of the environment; ` +
    'list them under tools.env in config/agent.yaml of the user space to allow it';
  return new SkeinError('permission_denied', message, { where: { file: link.file, path: 'config.env' } });
}
