import { SkeinError } from '../index.ts';
import { approvalsCommand } from './approvals-command.ts';
import { cancelCommand } from './cancel-command.ts';
import { commitMessageCommand } from './commit-message.ts';
import { configCommand } from './config-command.ts';
import { doctorCommand } from './doctor-command.ts';
import { EXIT, type ExitCode } from './exit-code.ts';
import { exportCommand } from './export-command.ts';
import { forkCommand } from './fork-command.ts';
import { gcCommand } from './gc-command.ts';
import { HELP } from './help.ts';
import type { CliIo } from './io.ts';
import { itemCommand } from './item-command.ts';
import { keysCommand } from './keys-command.ts';
import { listCommand } from './list-command.ts';
import { llmServerCommand } from './llm-server-command.ts';
import { mcpCommand } from './mcp-command.ts';
import { modelsCommand } from './models-command.ts';
import { packageVersion } from './package-version.ts';
import { promptCommand } from './prompt-command.ts';
import { replayCommand } from './replay-command.ts';
import { resumeCommand } from './resume-command.ts';
import { runCommand } from './run-command.ts';
import { signCommand } from './sign-command.ts';
import { statusCommand } from './status-command.ts';
import { tailCommand } from './tail-command.ts';
import { threadsCommand } from './threads-command.ts';
import { transcriptCommand } from './transcript-command.ts';
import { uiCommand } from './ui-command.ts';
import { verifyCommand } from './verify-command.ts';

type Command = (args: readonly string[], io: CliIo) => Promise<ExitCode>;

const COMMANDS: ReadonlyMap<string, Command> = new Map([
  ['run', runCommand],
  ['prompt', promptCommand],
  ['commit-message', commitMessageCommand],
  ['config', configCommand],
  ['models', modelsCommand],
  ['item', itemCommand],
  ['sign', signCommand],
  ['verify', verifyCommand],
  ['keys', keysCommand],
  ['mcp', mcpCommand],
  ['llm-server', llmServerCommand],
  ['status', statusCommand],
  ['list', listCommand],
  ['tail', tailCommand],
  ['transcript', transcriptCommand],
  ['export', exportCommand],
  ['cancel', cancelCommand],
  ['resume', resumeCommand],
  ['gc', gcCommand],
  ['threads', threadsCommand],
  ['approvals', approvalsCommand],
  ['doctor', doctorCommand],
  ['replay', replayCommand],
  ['fork', forkCommand],
  ['ui', uiCommand],
]);

/**
 * Carries out a command line, without the program's own name.
 *
 * @throws SkeinError `invalid_argument` for what is not understood, and whatever the command refuses
 */
export async function dispatch(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const [name, ...rest] = args;
  if (name === undefined) throw new SkeinError('invalid_argument', `No command is given; ${knownCommands()}`);
  if (name === '--help' || name === '-h' || name === 'help') return print(HELP, io);
  if (name === '--version' || name === '-V') return print(`${packageVersion()}\n`, io);
  const command = COMMANDS.get(name);
  if (!command) {
    const what = name.startsWith('-') ? 'option' : 'command';
    throw new SkeinError('invalid_argument', `There is no ${what} ${JSON.stringify(name)}; ${knownCommands()}`);
  }
  const end = rest.indexOf('--');
  const options = end === -1 ? rest : rest.slice(0, end);
  if (options.includes('--help') || options.includes('-h')) return print(HELP, io);
  return command(rest, io);
}

function knownCommands(): string {
  return `the commands are: ${[...COMMANDS.keys()].join(', ')} (see skein --help)`;
}

function print(text: string, io: CliIo): ExitCode {
  io.stdout.write(text);
  return EXIT.completed;
}
