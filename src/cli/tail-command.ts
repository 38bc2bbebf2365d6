import { resolve } from 'node:path';
import { connectProject, SkeinError, type ProjectConnection } from '../index.ts';
import { readCount, readNames } from './arguments.ts';
import { defineCommand, type Command } from './command.ts';
import { eventLine, type ShownEvent } from './event-text.ts';
import { EXIT } from './exit-code.ts';
import { granted } from './granted.ts';
import { COMMON_LINES, TYPES, valued } from './options.ts';
import { onlyPositional } from './positionals.ts';
import { printable, printableJson } from './printable.ts';
import { fitted, writeOut } from './write-out.ts';

/** Events that are shown of what was there before. */
const LINES = 10;

/** Seconds that the runtime lets us wait for more. */
const WAIT = 20;

/**
 * `skein tail ID`: the last events of a thread, and then what is logged of it and of those that take over from it, until the
 * last of them has ended. Without a runtime nothing follows.
 */
export const tailCommand: Command = defineCommand({
  name: 'tail',
  takes: 'ID',
  summary: 'the last events of a thread, then what happens, until it has ended',
  options: { lines: valued('N', `events of before (default: ${LINES})`), types: TYPES, ...COMMON_LINES },
  examples: [
    ['skein tail thread-0198…', 'what it did last, and what it does'],
    ['skein tail thread-0198… --types cognition_out --json | jq -r .payload.text', 'what its model says'],
  ],
  async run({ values, positionals }, io) {
    const { json = false, project = '.' } = values;
    const id = onlyPositional('tail', 'id of a thread', positionals);
    const lines = readCount('--lines', values.lines) ?? LINES;
    const place: Place = { id, after: undefined, lines, types: readNames(values.types) };
    const show = async (events: readonly ShownEvent[]): Promise<void> => {
      const shown = events.map((event) => (json ? printableJson(event) : fitted(eventLine(event), io.stdout)));
      if (shown.length > 0) await writeOut(io.stdout, `${shown.join('\n')}\n`);
    };
    const say = (line: string): void => void io.stderr.write(`${printable(line)}\n`);
    for (let isOver = false; !isOver;) {
      using connection = await connectProject({ project: resolve(io.cwd, project), env: io.env });
      isOver = await followOn(connection, place, { show, say });
    }
    return EXIT.completed;
  },
});

/** How far a log has been shown. */
type Place = {
  id: string;
  /** Sequence number of the last event; undefined: nothing was shown yet. */
  after: number | undefined;
  readonly lines: number;
  readonly types: string[] | undefined;
};

type Screen = {
  readonly show: (events: readonly ShownEvent[]) => Promise<void>;
  readonly say: (line: string) => void;
};

/** Whether that was all; not if the runtime has gone meanwhile: what it said last is in the log. */
async function followOn(connection: ProjectConnection, place: Place, screen: Screen): Promise<boolean> {
  try {
    if (place.after === undefined) await showLast(connection, place, screen);
    while (await showNext(connection, place, screen));
    return true;
  } catch (thrown) {
    const hasGone = thrown instanceof SkeinError && thrown.code === 'runtime_closed' && connection.isRun;
    if (!hasGone) throw thrown;
    return false;
  }
}

async function showLast({ orchestrator }: ProjectConnection, place: Place, { show }: Screen): Promise<void> {
  const { id, lines, types } = place;
  const { events } = granted(await orchestrator.call('read_transcript', { thread_id: id, tail: lines, types }));
  await show(events);
  place.after = events.at(-1)?.sequence ?? 0;
}

/** Whether there may be more. */
async function showNext({ orchestrator, isRun }: ProjectConnection, place: Place, screen: Screen): Promise<boolean> {
  const { id, after, types } = place;
  const page = granted(await orchestrator.call('read_events', { thread_id: id, after, types, wait: WAIT }));
  await screen.show(page.events);
  place.after = page.last;
  if (page.more || !page.ended) return page.more || isRun;
  if (page.continued_as === undefined) return false;
  screen.say(`Thread ${id} is continued as ${page.continued_as}`);
  place.id = page.continued_as;
  place.after = 0;
  return true;
}
