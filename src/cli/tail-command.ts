import { resolve } from 'node:path';
import { OPERATION_BOUNDS } from '../core/operation-bounds.ts';
import { connectProject, SkeinError, type ProjectConnection } from '../index.ts';
import { readCount, readNames } from './arguments.ts';
import { defineCommand, type Command } from './command.ts';
import { eventLine, type ShownEvent } from './event-text.ts';
import { EXIT } from './exit-code.ts';
import { formatCount } from './format.ts';
import { resultOf } from './operation-answer.ts';
import { COMMON_LINES, TYPES, valued } from './options.ts';
import { onlyPositional } from './positionals.ts';
import { printable, printableJson } from './printable.ts';
import { fitted, writeOut } from './write-out.ts';

/** Events that are shown of what was there before. */
const LINES = 10;
const MAX_LINES = OPERATION_BOUNDS.tail.max;

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
  options: {
    lines: valued('N', `events of before (default: ${LINES}, at most ${MAX_LINES})`),
    types: TYPES,
    ...COMMON_LINES,
  },
  examples: [
    ['skein tail thread-0198…', 'what it did last, and what it does'],
    ['skein tail thread-0198… --types cognition_out --json | jq -r .payload.text', 'what its model says'],
  ],
  async run({ values, positionals }, io) {
    const { json = false, project = '.' } = values;
    const id = onlyPositional('tail', 'id of a thread', positionals);
    const place: Place = { id, after: undefined, lines: readLines(values.lines), types: readNames(values.types) };
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

/** @throws SkeinError `invalid_argument` */
function readLines(text: string | undefined): number {
  const lines = readCount('--lines', text) ?? LINES;
  if (lines <= MAX_LINES) return lines;
  const most = formatCount(MAX_LINES);
  throw new SkeinError('invalid_argument', `tail shows ${most} events of before at most, and --lines is ${lines}`);
}

/** How far a log has been shown. */
type Place = {
  id: string;
  /** Sequence number of the last event; undefined: it is not known yet where to begin. */
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
    place.after ??= await beginning(connection, place, screen);
    while (await showNext(connection, place, screen));
    return true;
  } catch (thrown) {
    const hasGone = thrown instanceof SkeinError && thrown.code === 'runtime_closed' && connection.isRun;
    if (!hasGone) throw thrown;
    return false;
  }
}

/**
 * After which event the last ones begin. A transcript has no more than fits, and cuts what is long: it only tells which ones they
 * are. Of all types, that is clear from the last of them.
 */
async function beginning({ orchestrator }: ProjectConnection, place: Place, { say }: Screen): Promise<number> {
  const { id, lines, types } = place;
  const asked = { thread_id: id, tail: types ? lines : 1, types, max_bytes: OPERATION_BOUNDS.transcript.max };
  const { events, left_out: leftOut } = resultOf(await orchestrator.call('read_transcript', asked));
  const first = events[0]?.sequence ?? 1;
  if (!types) return Math.max(0, first - lines);
  const missing = Math.min(lines - events.length, leftOut);
  if (missing > 0)
    say(`[${formatCount(missing)} of the last ${formatCount(lines)} events left out: the others are long]`);
  return first - 1;
}

/** Whether there may be more. */
async function showNext({ orchestrator, isRun }: ProjectConnection, place: Place, screen: Screen): Promise<boolean> {
  const { id, after, types } = place;
  const page = resultOf(await orchestrator.call('read_events', { thread_id: id, after, types, wait: WAIT }));
  await screen.show(page.events);
  place.after = page.last;
  if (page.more || !page.ended) return page.more || isRun;
  if (page.continued_as === undefined) return false;
  screen.say(`Thread ${id} is continued as ${page.continued_as}`);
  place.id = page.continued_as;
  place.after = 0;
  return true;
}
