import { randomBytes } from 'node:crypto';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { supervisorChart } from '../../machines/supervisor.chart.ts';
import { threadChart } from '../../machines/thread.chart.ts';
import { secretsIn } from '../config/secret-values.ts';
import { systemClock } from '../core/clock.ts';
import { createRedactor } from '../core/redactor.ts';
import type { DashboardServer } from '../inspect/server/dashboard-server.ts';
import { connectProject, describeFailure } from '../index.ts';
import { defineCommand, type Command } from './command.ts';
import type { CliIo } from './io.ts';
import { projectFolder } from '../config/project-folder.ts';
import { COMMON, flag, valued } from './options.ts';
import { openBrowser } from './open-browser.ts';
import { packageVersion } from '../core/package-version.ts';
import { noPositionals } from './positionals.ts';
import { printable } from './printable.ts';
import { readPort } from './read-port.ts';
import { untilInterrupted } from './until-interrupted.ts';

/** `skein ui`: serves the dashboard on this machine, until it is interrupted; the token is in the address that it prints. */
export const uiCommand: Command = defineCommand({
  name: 'ui',
  takes: '',
  summary: 'the dashboard: a page on this machine with the threads, live',
  options: {
    port: valued('N', 'port on 127.0.0.1 (default: any that is free)'),
    'no-open': flag('print the address and open no browser'),
    project: COMMON.project,
    json: flag('print {"url", "origin", "token"} as one line of JSON when it listens, and open no browser'),
  },
  examples: [['skein ui', 'look at what runs, in a browser']],
  async run({ values, positionals }, io) {
    noPositionals('ui', positionals);
    const { json = false } = values;
    const token = randomBytes(32).toString('base64url');
    await using server = await serve({ project: values.project ?? '.', port: readPort(values.port), token }, io);
    const stopped = untilInterrupted(io);
    const url = `${server.origin}/#token=${token}`;
    io.stdout.write(json ? `${JSON.stringify({ url, origin: server.origin, token })}\n` : `Dashboard: ${url}\n`);
    // For a person, who has not said no.
    const isOpened = io.stdout.isTTY === true && !json && values['no-open'] !== true;
    using _browser = isOpened ? openBrowser(url, (line) => io.stderr.write(`${line}\n`)) : undefined;
    return await stopped;
  },
});

type Order = { readonly project: string; readonly port: number; readonly token: string };

async function serve({ project: folder, port, token }: Order, io: CliIo): Promise<DashboardServer> {
  // Loaded late: a web server.
  const { startDashboard } = await import('../inspect/server/start-dashboard.ts');
  const project = projectFolder(folder, io.cwd);
  const redactor = createRedactor(secretsIn(io.env));
  return startDashboard({
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
}
