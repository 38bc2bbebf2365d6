// The main job: the directive demo/survey over a folder.
//   npm run demo -- [PATH] [--model MODEL] [--workers N] [--project COPY_OF_THIS_FOLDER]
import { accessSync, constants, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { SkeinError } from 'skein';
import { readArguments, readCount } from '../../dist/src/cli/arguments.js';
import { printEnding } from '../../dist/src/cli/print-ending.js';
import { printable } from '../../dist/src/cli/printable.js';
import { runDirective } from '../../dist/src/cli/run-directive.js';
import { readScript } from '../../dist/src/cli/script-file.js';
import { start } from '../../dist/src/cli/start.js';
import { loadRuntimeConfig } from '../../dist/src/host/config/runtime-config.js';

const DEMO = fileURLToPath(new URL('.', import.meta.url));
const REPOSITORY = fileURLToPath(new URL('../..', import.meta.url));

await start(process, async (io) => {
  // npm runs scripts in the package's root and says here where it was started.
  const cwd = (io.env['npm_lifecycle_event'] === 'demo' && io.env['INIT_CWD']) || io.cwd;
  const run = await runDirective(readOrder(process.argv.slice(2), { cwd, env: io.env }), io);
  const { status, outputs } = run.ending;
  if (status !== 'completed') return printEnding(run, { json: false, io });
  const [counted, missing] = [Number(outputs.files), Number(outputs.not_counted)];
  io.stderr.write(`${counted} files counted${missing === 0 ? '' : `, ${missing} could not be`}. The report:\n`);
  io.stdout.write(`${printable(String(outputs.report))}\n`);
  return 0;
});

function readOrder(args, { cwd, env }) {
  const { values, positionals } = readArguments(args, {
    options: { model: { type: 'string' }, workers: { type: 'string' }, project: { type: 'string' } },
  });
  if (positionals.length > 1) {
    throw new SkeinError('invalid_argument', `The demo surveys one folder; ${positionals.length} are given`);
  }
  const project = resolve(cwd, values.project ?? DEMO);
  const model = values.model ?? 'scripted:survey';
  const folder = positionals[0] === undefined ? resolve(REPOSITORY) : resolve(cwd, positionals[0]);
  requireFolder(folder, constants.R_OK | constants.X_OK, 'surveyed');
  requireFolder(cwd, constants.W_OK, 'written to');
  const workers = readCount('--workers', values.workers);
  const script = join(project, '.ai', 'scripts', 'survey.yaml');
  return {
    project,
    directive: 'demo/survey',
    // The children are to use the same model.
    inputs: { folder, report_folder: cwd, page_size: mostWaitedFor(project, env), model },
    model,
    scripts: { survey: readScript(script) },
    scriptFiles: [`survey=${script}`],
    ...(workers !== undefined && { workers }),
    // The demo's items come with this file: whoever runs it need not be told that nobody signed them.
    agent: { trust: { project: 'off' } },
  };
}

/** How many threads the survey may wait for at once: a page of files is as long. */
function mostWaitedFor(project, env) {
  return loadRuntimeConfig({ project, env }).config.resilience.coordination.maxWaitThreadIds;
}

function requireFolder(path, access, purpose) {
  try {
    if (!statSync(path).isDirectory()) throw new Error('it is not a folder');
    accessSync(path, access);
  } catch (cause) {
    const message = `The folder can't be ${purpose}: ${cause instanceof Error ? cause.message : String(cause)}`;
    throw new SkeinError('invalid_argument', message, { where: { file: path }, cause });
  }
}
