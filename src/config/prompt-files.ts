import { join, resolve } from 'node:path';
import type { AgentConfig } from './agent.ts';
import { SkeinError } from '../core/errors.ts';
import type { ConfigSources } from './layers.ts';
import { readText } from './yaml.ts';

/** The prompt files (S1 "System Prompt"), by their name without `.md`. */
export const PROMPT_NAMES = ['system', 'system_extra', 'system_reminder', 'commit', 'compaction'] as const;
/** One of {@link PROMPT_NAMES}. */
export type PromptName = (typeof PROMPT_NAMES)[number];

/** Where prompt files come from. */
export type PromptSources = Pick<ConfigSources, 'systemDir' | 'userDir' | 'projectDir'>;

/** The prompt files that count. Nobody has signed a project's: where that is asked for, they don't. */
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
    ...(userSpace !== undefined && { userDir: userSpace }),
    ...(trust.project !== 'strict' && { projectDir: projectPath }),
  };
}

/**
 * The text of a prompt file: the project's (`.ai/config/prompts`), else the user's, else the one that ships. Read anew each
 * time, so that a change is in the next request. White space at its end is left out. `system_extra` may be missing.
 *
 * @throws SkeinError `invalid_config` for a file that is not UTF-8 text of at most 256 KiB, or that does not ship
 */
export function readPrompt(name: PromptName, { systemDir, userDir, projectDir }: PromptSources): string {
  // The two may be one folder, as they are anywhere else: the text is the same.
  const project = projectDir === undefined ? undefined : resolve(projectDir, '.ai', 'config');
  const user = userDir === undefined ? undefined : resolve(userDir, 'config');
  for (const folder of [project, user, systemDir]) {
    const text = folder === undefined ? undefined : readText(join(folder, 'prompts', `${name}.md`));
    if (text !== undefined) return text.trimEnd();
  }
  if (name === 'system_extra') return '';
  const where = { file: join(systemDir, 'prompts', `${name}.md`) };
  throw new SkeinError('invalid_config', 'a prompt file of the package is missing', { where });
}

/** `system.md` and, after a blank line, `system_extra.md` (S1 "Prompt Concatenation"). */
export function readSystemPrompt(sources: PromptSources): string {
  const texts = [readPrompt('system', sources), readPrompt('system_extra', sources)];
  return texts.filter((text) => text !== '').join('\n\n');
}
