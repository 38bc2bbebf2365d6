import { SkeinError } from '../core/errors.ts';
import type { ToolItem } from '../core/item.ts';
import type { Env } from './child-env.ts';
import { said } from './chain-config.ts';
import type { Chain } from './execution-chain.ts';

/** What the user lets tools see: the runtime's environment, and the names in it that `tools.env` of agent.yaml lists. */
export type UserEnv = { readonly env: Env; readonly envNames: readonly string[] };

/**
 * The names of variables that a chain may see beyond the basic ones: those the user lists, and those that its links name
 * in their `config.env`. What belongs to a project is often somebody else's: if it has a part in the chain, as a link or as
 * `projectProgram`, the program that runs it, then all that is named must be on the user's list, whoever names it.
 *
 * @throws SkeinError `permission_denied` naming the variables and where to allow them.
 */
export function grantedNames({ links }: Chain, { envNames }: UserEnv, projectProgram?: string): readonly string[] {
  const asked = links.map((link) => ({ link, names: namesIn(link) }));
  const stranger = links.find(({ space }) => space === 'project')?.id ?? projectProgram;
  for (const { link, names } of asked) {
    const unlisted = names.filter((name) => !envNames.includes(name));
    if (stranger !== undefined && unlisted.length > 0) throw refusal(link, unlisted, stranger);
  }
  return [...new Set([...envNames, ...asked.flatMap(({ names }) => names)])];
}

function namesIn(link: ToolItem): readonly string[] {
  const names = said(link, 'env');
  return Array.isArray(names) ? names.filter((name) => typeof name === 'string') : [];
}

function refusal(link: ToolItem, names: readonly string[], stranger: string): SkeinError {
  const variables = `${names.join(', ')} of the environment`;
  const what =
    link.space === 'project'
      ? `${link.id} of the project asks for ${variables}`
      : `${link.id} asks for ${variables}, and ${stranger} of the project would see it`;
  const message = `${what}; list them under tools.env in config/agent.yaml of the user space to allow it`;
  return new SkeinError('permission_denied', message, { where: { file: link.file, path: 'config.env' } });
}
