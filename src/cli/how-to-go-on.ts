import { describeFailure, toFailure } from '../core/errors.ts';
import type { OperationResult } from '../core/operations.ts';
import { connectProject, type ProjectConnection } from '../index.ts';
import { grantLine } from './approvals-text.ts';
import { resultOf, isRefusal } from './operation-answer.ts';
import type { CliIo } from './io.ts';
import { optionsAgain, type GivenHere, type OptionsAgain } from './options-again.ts';
import { printable } from './printable.ts';

/** Whoever reads the advice, and where. */
type Reader = Pick<CliIo, 'env' | 'cwd'>;

/** How to go on with what is suspended in the tree of a thread, as it is stored, or why nobody knows; nothing if nothing is. */
export async function howToGoOn(top: string, here: GivenHere, reader: Reader): Promise<string | undefined> {
  try {
    return await readHowToGoOn(top, here, reader);
  } catch (thrown) {
    // What is over is told all the same: its configuration, say, may have been broken since.
    return `Whether something below it is suspended can't be read: ${printable(describeFailure(toFailure(thrown)))}`;
  }
}

async function readHowToGoOn(top: string, here: GivenHere, { env, cwd }: Reader): Promise<string | undefined> {
  using connection = await connectProject({ project: here.project, env });
  const again = optionsAgain(here, cwd);
  const { chain } = resultOf(await connection.orchestrator.call('get_chain', { thread_id: top }));
  const below = await waitingBelow(chain, connection);
  const last = chain.at(-1);
  if (last?.status !== 'suspended') return goOnBelow(below, again);
  const standing = resultOf(await connection.orchestrator.call('get_status', { thread_id: last.thread_id }));
  return goOnWith(standing, below, again);
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
  const listed = resultOf(await connection.orchestrator.call('list_threads', suspended));
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

function goOnBelow([first, ...others]: readonly Standing[], again: OptionsAgain): string | undefined {
  if (!first) return undefined;
  const step = `to go on, ${stepOf(first, again)}`;
  if (others.length === 0) return `Suspended below it: ${step}`;
  return `${others.length + 1} threads below it are suspended (${listLine(again)}): ${step} …`;
}

/** One that is suspended itself may wait for what waits below it. */
function goOnWith(own: Standing, [first, ...others]: readonly Standing[], again: OptionsAgain): string {
  if (!first) return `To go on: ${stepOf(own, again)}`;
  const step = `to go on, ${stepOf(first, again)}`;
  const then = `then ${stepOf(own, again)}`;
  const reason = printable(first.suspend_reason ?? '');
  if (others.length === 0) return `Thread ${first.thread_id} waits for a person (${reason}): ${step}, ${then}`;
  return `${others.length + 1} threads below it wait for a person (${listLine(again)}): ${step} …, ${then}`;
}

function listLine({ look }: OptionsAgain): string {
  return `skein list --status suspended${look}`;
}

/** What has a thread go on. Of what a person was asked, a plain resumption would be a grant that nobody has thought of. */
function stepOf({ thread_id: id, approval }: Standing, { look, act }: OptionsAgain): string {
  if (!approval) return `skein resume ${id}${act}`;
  const grant = grantLine({ ...approval, thread_id: id });
  const deny = `skein approvals deny ${printable(approval.approval_id)}`;
  return `${grant}${act}, or ${deny}${act} (skein approvals list${look} says what is asked)`;
}
