import { randomBytes } from 'node:crypto';
import { basename, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { supervisorChart } from '../../machines/supervisor.chart.ts';
import { threadChart } from '../../machines/thread.chart.ts';
import { secretsIn } from '../config/secret-values.ts';
import { systemClock } from '../core/clock.ts';
import { createRedactor } from '../core/redactor.ts';
import { connectProject, describeFailure } from '../index.ts';
import { readArguments } from './arguments.ts';
import type { ExitCode } from './exit-code.ts';
import type { CliIo } from './io.ts';
import { openBrowser } from './open-browser.ts';
import { packageVersion } from './package-version.ts';
import { noPositionals } from './positionals.ts';
import { printable } from './printable.ts';
import { readPort } from './read-port.ts';
import { untilInterrupted } from './until-interrupted.ts';

/** `skein ui`: serves the dashboard on this machine, until it is interrupted; the token is in the address that it prints. */
export async function uiCommand(args: readonly string[], io: CliIo): Promise<ExitCode> {
  const { project, port, json, isOpened } = readOrder(args, io);
  // Loaded late: a web server.
  const { startDashboard } = await import('../inspect/server/start-dashboard.ts');
  const token = randomBytes(32).toString('base64url');
  const redactor = createRedactor(secretsIn(io.env));
  await using server = await startDashboard({
    name: basename(project),
    version: packageVersion(),
    // What the page draws is what runs.
    charts: { thread: threadChart, supervisor: supervisorChart },
    clock: systemClock,
    connect: () => connectProject({ project, env: io.env }),
    pageFolder: fileURLToPath(new URL('../../ui/', import.meta.url)),
    port,
    token,
    redact: (text) => redactor.text(text),
    problem: (failure) => io.stderr.write(`skein: ${printable(redactor.text(describeFailure(failure)))}\n`),
  });
  const url = `${server.origin}/#token=${token}`;
  io.stdout.write(json ? `${JSON.stringify({ url, origin: server.origin, token })}\n` : `Dashboard: ${url}\n`);
  using _browser = isOpened ? openBrowser(url, io) : undefined;
  return await untilInterrupted(io);
}

type Order = {
  readonly project: string;
  readonly port: number;
  readonly json: boolean;
  /** Whether a browser is opened: for a person, who has not said no. */
  readonly isOpened: boolean;
};

function readOrder(args: readonly string[], io: CliIo): Order {
  const { values, positionals } = readArguments(args, {
    project: { type: 'string' },
    port: { type: 'string' },
    'no-open': { type: 'boolean' },
    json: { type: 'boolean' },
  });
  noPositionals('ui', positionals);
  const { project = '.', port, json = false } = values;
  const isOpened = io.stdout.isTTY === true && !json && values['no-open'] !== true;
  return { project: resolve(io.cwd, project), port: readPort(port), json, isOpened };
}
