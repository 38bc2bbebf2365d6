import { existsSync } from 'node:fs';
import type { OperationResult } from '../core/operations.ts';
import { storeOf } from '../core/store-place.ts';
import type { EventOf, InspectOptions, LimitOverrides, Runtime, RuntimeOptions, ThreadEnding } from '../index.ts';
import { howToGoOn } from './how-to-go-on.ts';
import type { Interrupts } from './interrupt.ts';
import type { CliIo } from './io.ts';
import type { GivenHere } from './options-again.ts';
import { inRuntimeHere, type RuntimeHere } from './runtime-here.ts';
import { showInspector } from './show-inspector.ts';
import type { Show } from './show-progress.ts';
import { storedStanding } from './stored-standing.ts';
import { untilTreeRests } from './whole-tree.ts';

/** What to run. */
export type RunOrder = GivenHere & {
  readonly directive: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly model?: string;
  readonly limits?: LimitOverrides;
  readonly workers?: number;
  readonly scripts?: RuntimeOptions['scripts'];
  readonly record?: string;
  readonly replay?: string;
  readonly inspect?: InspectOptions;
  readonly agent?: NonNullable<RuntimeHere['agent']>;
};

/** How a run went. */
export type FinishedRun = {
  readonly threadId: string;
  /** The one that has the ending: itself, or the last that took over from it. */
  readonly lastId: string;
  readonly ending: ThreadEnding;
  /** What its thread and all below it have spent, in USD; null if that can't be read. */
  readonly treeSpend: number | null;
  /** Why it is suspended, if it is. */
  readonly suspended: string;
  readonly suspendReason: Suspension['suspend_reason'] | undefined;
  /** What a person has to decide before it goes on. */
  readonly approval: OperationResult<'get_status'>['approval'];
  /** The database with the thread's whole log. */
  readonly database: string;
  /** Whether it is suspended since somebody interrupted the command, and for no other reason. */
  readonly interrupted: boolean;
};

/**
 * Runs a directive in a runtime of its own until its thread and all below it have ended or are suspended, and shows on stderr
 * what happens. Ctrl-C closes the runtime, a second one ends the process.
 *
 * @throws SkeinError whatever is refused before the thread has started; nothing was shown then
 */
export async function runDirective(order: RunOrder, io: CliIo): Promise<FinishedRun> {
  // A slip of the keyboard in some folder leaves no database there.
  if (!existsSync(storeOf(order.project).database)) await checkName(order, io);
  return inRuntimeHere(order, io, (runtime, { show, interrupts }) => runIn(runtime, order, { show, interrupts, io }));
}

/** @throws SkeinError `item_not_found` naming the spaces searched */
async function checkName({ project, directive }: RunOrder, io: CliIo): Promise<void> {
  const { openItems, openPlaces } = await import('./item-places.ts');
  openItems(openPlaces(project, io)).spaces.read('directive', directive);
}

type Suspension = EventOf<'thread_suspended'>['payload'];
type Watching = { readonly show: Show; readonly interrupts: Interrupts; readonly io: CliIo };

async function runIn(runtime: Runtime, order: RunOrder, { show, interrupts, io }: Watching): Promise<FinishedRun> {
  const suspensions = new Map<string, Suspension>();
  runtime.on('thread_suspended', ({ thread_id: id, payload }) => void suspensions.set(id, payload));
  const successors = new Map<string, string>();
  runtime.on('thread_continued', ({ thread_id: id, payload }) => void successors.set(id, payload.successor));
  const { directive, inputs, model, limits, project } = order;
  const options = { ...(model !== undefined && { model }), ...(limits && { limits }) };
  const thread = await runtime.spawn(directive, inputs, options);
  // Whoever comes late is told of all that is there; of a run that was refused there is nothing to see.
  using _page = showInspector(runtime, { show, io });
  // One that is suspended ends the run too, once what is below it rests: nobody is there to resume it.
  await untilTreeRests(runtime, { top: thread.id, say: (line) => show.say(line) });
  // Its last events arrive.
  await runtime.close();
  const ending = await thread.result;
  show.stop();
  const lastId = lastOf(thread.id, successors);
  const suspension = suspensions.get(lastId);
  const standing = await storedStanding(lastId, project, io.env);
  const run = {
    threadId: thread.id,
    lastId,
    ending,
    treeSpend: standing?.tree_spend ?? null,
    suspended: suspension ? reasonText(suspension) : (ending.error?.message ?? ''),
    suspendReason: ending.status === 'suspended' ? suspension?.suspend_reason : undefined,
    approval: standing?.approval,
    database: storeOf(project).database,
    interrupted: interrupts.seen() && suspension?.suspend_reason === 'shutdown',
  };
  show.summary(run);
  const advice = await howToGoOn(thread.id, order, io);
  if (advice !== undefined) show.say(advice);
  return run;
}

function reasonText({ suspend_reason: reason, message }: Suspension): string {
  return message === undefined ? reason : `${reason}: ${message}`;
}

function lastOf(id: string, successors: ReadonlyMap<string, string>): string {
  const next = successors.get(id);
  return next === undefined ? id : lastOf(next, successors);
}
