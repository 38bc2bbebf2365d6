import { supervisorChart } from '../../machines/supervisor.chart.ts';
import { threadChart } from '../../machines/thread.chart.ts';
import { readChart } from '../inspect/chart/chart-graph.ts';
import { chartToMermaid } from './machine-mermaid.ts';
import { chartToText } from './machine-text.ts';
import { SkeinError } from '../index.ts';
import { defineCommand, quoted, type Command } from './command.ts';
import { EXIT } from './exit-code.ts';
import { flag, valued } from './options.ts';

const CHARTS = { thread: threadChart, supervisor: supervisorChart } as const;
type MachineName = keyof typeof CHARTS;

/** How a chart is printed. */
const FORMATS: Readonly<Record<string, (name: MachineName) => string | Promise<string>>> = {
  ascii: (name) => chartToText(readChart(CHARTS[name])),
  mermaid: (name) => chartToMermaid(readChart(CHARTS[name])),
  svg: async (name) => {
    // Loaded late: it lays out graphs.
    const { chartToSvg } = await import('./machine-svg.ts');
    return chartToSvg(readChart(CHARTS[name]), `The machine of a ${name}`);
  },
  json: (name) => `${JSON.stringify(CHARTS[name])}\n`,
};

/** `skein machine`: prints the chart of a machine; nothing is started or looked at. */
export const machineCommand: Command = defineCommand({
  name: 'machine',
  takes: '[thread|supervisor]',
  summary: 'the chart of the machine that every thread is, or of the one that runs them',
  options: {
    format: valued(Object.keys(FORMATS).join('|'), 'how it is printed (default: ascii)'),
    json: flag('the same as --format json'),
  },
  examples: [
    ['skein machine', 'states, and the events that lead from one to another'],
    ['skein machine supervisor --format svg > supervisor.svg', 'a picture'],
  ],
  async run({ values, positionals }, io) {
    const { json = false, format = json ? 'json' : 'ascii' } = values;
    const print = Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
    if (!print) {
      const known = Object.keys(FORMATS).join(', ');
      throw new SkeinError('invalid_argument', `--format is ${quoted(format)}; one of ${known} is expected`);
    }
    io.stdout.write(await print(readName(positionals)));
    return EXIT.completed;
  },
});

function readName([name = 'thread', ...more]: readonly string[]): MachineName {
  if (more.length === 0 && (name === 'thread' || name === 'supervisor')) return name;
  const given = [name, ...more].map(quoted).join(', ');
  throw new SkeinError('invalid_argument', `machine takes thread or supervisor; given: ${given}`);
}
