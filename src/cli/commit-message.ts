import { SYSTEM_DIR } from '../config/default-places.ts';
import { promptSourcesOf, readPrompt } from '../config/prompt-files.ts';
import { SkeinError } from '../index.ts';
import { askForBeginning, createGit, PLAIN_DIFF } from '../tools/git.ts';
import { defineCommand, type Command } from './command.ts';
import type { CliIo } from './io.ts';
import { openPlaces } from './item-places.ts';
import { COMMON, HERE, RENDERING } from './options.ts';
import { printEnding } from './print-ending.ts';
import { runDirective } from './run-directive.ts';
import { readScripts } from './script-file.ts';

const DIRECTIVE = 'rye/agent/commit_message';
/** Of a longer diff the list of its files and its beginning are sent. In characters: some 50,000 tokens. */
const MAX_DIFF = 150_000;
/** The list of its files: so many of them, and how many there are; lines of so many columns. */
const STAT = ['--stat=100', '--stat-count=500'];

/**
 * `skein commit-message`: has a model write the message of a commit for what is staged, as `commit.md` asks for it (S1 "Other
 * Prompts").
 */
export const commitMessageCommand: Command = defineCommand({
  name: 'commit-message',
  takes: '',
  summary: 'a message for what is staged in git, as commit.md asks for it',
  options: { ...COMMON, model: RENDERING.model, script: HERE.script },
  examples: [['git commit -e -m "$(skein commit-message)"', 'commit with it, once you have read it']],
  async run({ values, positionals }, io) {
    if (positionals.length > 0) throw new SkeinError('invalid_argument', 'commit-message takes no words, only options');
    const places = openPlaces(values.project, io);
    const sources = promptSourcesOf({ ...places, systemDir: SYSTEM_DIR, trust: places.config.agent.trust });
    const order = {
      project: places.projectPath,
      directive: DIRECTIVE,
      inputs: { rules: readPrompt('commit', sources), diff: await stagedDiff(places.projectPath, io) },
      ...(values.model !== undefined && { model: values.model }),
      scripts: readScripts(values.script ?? [], io.cwd),
      scriptFiles: values.script ?? [],
      workers: 1,
    };
    return printEnding(await runDirective(order, io), { json: values.json ?? false, io });
  },
});

async function stagedDiff(folder: string, { env }: CliIo): Promise<string> {
  const git = createGit(folder, env);
  await requireRepository(folder, () => git(['rev-parse', '--is-inside-work-tree']));
  const staged = [...PLAIN_DIFF, '--no-relative', '--cached'];
  const summary = await git([...staged, ...STAT, '--']);
  if (summary.trim() === '') {
    const message = 'Nothing is staged in git here: add what the commit is to have (git add)';
    throw new SkeinError('invalid_argument', message, { where: { file: folder } });
  }
  const { text, isCut } = await askForBeginning(git, [...staged, '--'], { chars: MAX_DIFF });
  return isCut ? `${summary}\n${text}` : text;
}

async function requireRepository(folder: string, ask: () => Promise<string>): Promise<void> {
  try {
    if ((await ask()).trim() === 'true') return;
  } catch (cause) {
    if (!(cause instanceof SkeinError) || !/not a git repository/.test(cause.message)) throw cause;
  }
  throw new SkeinError('invalid_argument', 'This folder is in no git repository', { where: { file: folder } });
}
