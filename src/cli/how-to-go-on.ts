import { describeFailure, toFailure } from '../core/errors.ts';
import type { OperationResult } from '../core/operations.ts';
import { connectProject, type ProjectConnection } from '../index.ts';
import { granted, isRefusal } from './granted.ts';
import type { CliIo } from './io.ts';
import { printable } from './printable.ts';

/** How to go on with what is suspended in the tree of a thread, as it is stored, or why nobody knows; nothing if nothing is. */
export async function howToGoOn(top: string, project: string, env: CliIo['env']): Promise<string | undefined> {
  try {
    return await readHowToGoOn(top, project, env);
  } catch (thrown) {
    // What is over is told all the same: its configuration, say, may have been broken since.
    return `Whether something below it is suspended can't be read: ${printable(describeFailure(toFailure(thrown)))}`;
  }
}

async function readHowToGoOn(top: string, project: string, env: CliIo['env']): Promise<string | undefined> {
  using connection = await connectProject({ project, env });
  const { chain } = granted(await connection.orchestrator.call('get_chain', { thread_id: top }));
  const below = await waitingBelow(chain, connection);
  const last = chain.at(-1);
  return last?.status === 'suspended' ? goOnWith(last.thread_id, below) : goOnBelow(below);
}

type Chain = OperationResult<'get_chain'>['chain'];
type Standing = OperationResult<'get_status'>;

/** Threads looked at, the newest first. */
const MOST = 1_000;

/** Suspended threads below a chain, at any depth, but for those that go on with a thread above them. */
async function waitingBelow(chain: Chain, connection: ProjectConnection): Promise<readonly Standing[]> {
  const standing = readOnce(connection);
  const ids = new Set(chain.map(({ thread_id: id }) => id));
  const isTopSuspended = chain.at(-1)?.status === 'suspended';
  const waits = async (one: Standing): Promise<boolean> => {
    let isTakenAlong = isTopSuspended;
    for (let at: Standing | undefined = one; at?.parent_thread_id !== undefined;) {
      if (ids.has(at.parent_thread_id)) return one.suspend_reason !== 'shutdown' || !isTakenAlong;
      at = await standing(at.parent_thread_id);
      isTakenAlong ||= at?.status === 'suspended';
    }
    return false;
  };
  const suspended = { status: ['suspended' as const], limit: MOST };
  const listed = granted(await connection.orchestrator.call('list_threads', suspended));
  const found: Standing[] = [];
  for (const { thread_id: id } of listed.threads) {
    const one = ids.has(id) ? undefined : await standing(id);
    if (one && (await waits(one))) found.push(one);
  }
  return found;
}

/** Reads how a thread stands, each once: those above many are the same. Nothing of one that is not there any more. */
function readOnce({ orchestrator }: ProjectConnection): (id: string) => Promise<Standing | undefined> {
  const known = new Map<string, Standing | undefined>();
  return async (id) => {
    if (known.has(id)) return known.get(id);
    const answer = await orchestrator.call('get_status', { thread_id: id });
    const found = isRefusal(answer) ? undefined : answer;
    known.set(id, found);
    return found;
  };
}

function goOnBelow([first, ...others]: readonly Standing[]): string | undefined {
  if (!first) return undefined;
  const resume = `to go on, skein resume ${first.thread_id}`;
  if (others.length === 0) return `Suspended below it: ${resume}`;
  return `${others.length + 1} threads below it are suspended (skein list --status suspended): ${resume} …`;
}

/** One that is suspended itself may wait for what waits below it. */
function goOnWith(id: string, [first, ...others]: readonly Standing[]): string {
  if (!first) return `To go on: skein resume ${id}`;
  const resume = `to go on, skein resume ${first.thread_id}`;
  const then = `then skein resume ${id}`;
  const reason = printable(first.suspend_reason ?? '');
  if (others.length === 0) return `Thread ${first.thread_id} waits for a person (${reason}): ${resume}, ${then}`;
  return `${others.length + 1} threads below it wait for a person (skein list --status suspended): ${resume} …, ${then}`;
}
