import { supervisorChart } from '../../machines/supervisor.chart.ts';
import { threadChart } from '../../machines/thread.chart.ts';
import { readChart } from '../inspect/chart/chart-graph.ts';
import { readChoice } from './arguments.ts';
import { chartToMermaid } from './machine-mermaid.ts';
import { chartToText } from './machine-text.ts';
import { SkeinError } from '../index.ts';
import { defineCommand, quoted, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { flag, valued } from './options.ts';

const CHARTS = { thread: threadChart, supervisor: supervisorChart } as const;
type MachineName = keyof typeof CHARTS;

/** How a chart is printed. */
const PRINTS = {
  ascii: (name: MachineName) => chartToText(readChart(CHARTS[name])),
  mermaid: (name: MachineName) => chartToMermaid(readChart(CHARTS[name])),
  svg: async (name: MachineName) => {
    // Loaded late: it lays out graphs.
    const { chartToSvg } = await import('./machine-svg.ts');
    return chartToSvg(readChart(CHARTS[name]), `The machine of a ${name}`);
  },
  json: (name: MachineName) => `${JSON.stringify(CHARTS[name])}\n`,
};
const FORMATS = ['ascii', 'mermaid', 'svg', 'json'] as const satisfies readonly (keyof typeof PRINTS)[];

/** `skein machine`: prints the chart of a machine; nothing is started or looked at. */
export const machineCommand: Command = defineCommand({
  name: 'machine',
  takes: '[thread|supervisor]',
  summary: 'the chart of the machine that every thread is, or of the one that runs them',
  options: {
    format: valued(FORMATS.join('|'), 'how it is printed (default: ascii)'),
    json: flag('the same as --format json'),
  },
  examples: [
    ['skein machine', 'states, and the events that lead from one to another'],
    ['skein machine supervisor --format svg > supervisor.svg', 'a picture'],
  ],
  async run({ values, positionals }, io) {
    const given = readChoice('--format', values.format, FORMATS);
    if (values.json && given !== undefined && given !== 'json')
      throw new SkeinError('invalid_argument', `--json is --format json, and not ${given}`);
    io.stdout.write(await PRINTS[values.json ? 'json' : (given ?? 'ascii')](readName(positionals)));
    return EXIT.completed;
  },
});

function readName([name = 'thread', ...more]: readonly string[]): MachineName {
  if (more.length === 0 && (name === 'thread' || name === 'supervisor')) return name;
  const given = [name, ...more].map(quoted).join(', ');
  throw new SkeinError('invalid_argument', `machine takes thread or supervisor; given: ${given}`);
}
