import { readSystemPrompt, readPrompt, type PromptSources } from '../../config/prompt-files.ts';
import type { Clock } from '../../core/clock.ts';
import { createGit, type Git } from '../../tools/git.ts';
import type { HostQuestions } from '../services/host-questions.ts';
import { createSharedSymbols, type SharedSymbols } from './shared-symbols.ts';

/** What prompts in tiers are made with. Nothing is opened before the first one. */
export type AssemblyServices = {
  /** Texts of the prompt files, read anew each time. */
  readonly prompts: {
    readonly system: () => string;
    readonly reminder: () => string;
    readonly compaction: () => string;
  };
  /** Of the project, for all threads of the worker. */
  readonly symbols: SharedSymbols;
  readonly git: Git;
};

/** What of it a worker has once, whatever its config. */
export type ProjectSources = Pick<AssemblyServices, 'symbols' | 'git'>;

/** What the sources of a project are opened with. */
export type ProjectSourcesOptions = {
  readonly projectPath: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly clock: Pick<Clock, 'now'>;
  readonly host: Pick<HostQuestions, 'ask'>;
};

/** Prepares the sources of a project. */
export function createProjectSources({ projectPath, env, clock, host }: ProjectSourcesOptions): ProjectSources {
  return {
    symbols: createSharedSymbols({ root: projectPath, clock, host }),
    git: createGit(projectPath, env),
  };
}

/** Adds the prompt files that count under a config. */
export function withPrompts(sources: ProjectSources, files: PromptSources): AssemblyServices {
  return {
    ...sources,
    prompts: {
      system: () => readSystemPrompt(files),
      reminder: () => readPrompt('system_reminder', files),
      compaction: () => readPrompt('compaction', files),
    },
  };
}
