import { join, resolve } from 'node:path';
import type { AgentConfig } from './agent.ts';
import { SkeinError } from '../core/errors.ts';
import { projectSpaceOf } from './project-space.ts';
import { readText } from './yaml.ts';

/** The prompt files (S1 "System Prompt"), by their name without `.md`. */
export const PROMPT_NAMES = ['system', 'system_extra', 'system_reminder', 'commit', 'compaction'] as const;
/** One of {@link PROMPT_NAMES}. */
export type PromptName = (typeof PROMPT_NAMES)[number];

/** Where prompt files come from: what ships, and the spaces whose files count. */
export type PromptSources = {
  readonly systemDir: string;
  readonly userSpace: string | undefined;
  readonly projectSpace: string | undefined;
};

/** Where those that count are. Nobody has signed a project's: where that is asked for, they don't. Asks the disk. */
export function promptSourcesOf({
  systemDir,
  userSpace,
  projectPath,
  trust,
}: {
  readonly systemDir: string;
  readonly userSpace: string | undefined;
  readonly projectPath: string;
  readonly trust: AgentConfig['trust'];
}): PromptSources {
  return {
    systemDir,
    userSpace,
    projectSpace: trust.project === 'strict' ? undefined : projectSpaceOf(projectPath, userSpace),
  };
}

/**
 * The text of a prompt file: the project's (`.ai/config/prompts`), else the user's, else the one that ships. Read anew each
 * time, so that a change is in the next request. White space at its end is left out. `system_extra` may be missing.
 *
 * @throws SkeinError `invalid_config` for a file that is not UTF-8 text of at most 256 KiB, for a project's that is a
 * link out of its space, or for one that does not ship
 */
export function readPrompt(name: PromptName, { systemDir, userSpace, projectSpace }: PromptSources): string {
  const file = join('prompts', `${name}.md`);
  const text =
    // A project is often somebody else's, and a link in it could send any file to the model.
    (projectSpace === undefined ? undefined : readText(join(projectSpace, 'config', file), projectSpace)) ??
    (userSpace === undefined ? undefined : readText(resolve(userSpace, 'config', file))) ??
    readText(join(systemDir, file));
  if (text !== undefined) return text.trimEnd();
  if (name === 'system_extra') return '';
  const where = { file: join(systemDir, file) };
  throw new SkeinError('invalid_config', 'a prompt file of the package is missing', { where });
}

/** `system.md` and, after a blank line, `system_extra.md` (S1 "Prompt Concatenation"). */
export function readSystemPrompt(sources: PromptSources): string {
  const texts = [readPrompt('system', sources), readPrompt('system_extra', sources)];
  return texts.filter((text) => text !== '').join('\n\n');
}
