import { toFailure, type Failure } from '../../src/core/errors.ts';
import type { ListedThread, Runtime } from '../../src/host/runtime.ts';
import type { ThreadHandle } from '../../src/host/handle/thread-handle.ts';
import type { Found } from './invariants.ts';
import { draw } from './model.ts';
import { createRaised, type Raised } from './raised.ts';
import type { World } from './world.ts';

/** What people do with a runtime, and what they were told. */
export interface People {
  /** Does something; what comes of it is seen later. */
  act(runtime: Runtime): void;
  /** Says what is to become of everything that waits for them, or ends everything. */
  decide(runtime: Runtime, how: 'any' | 'end'): void;
  /** The runtime is gone: nobody waits for its answers. */
  leave(): void;
  /** What has no answer yet. */
  unanswered(): readonly string[];
  /** Endings that were told, by thread. */
  readonly told: ReadonlyMap<string, string>;
  /** Limits that threads were resumed with. */
  readonly raised: Pick<Raised, 'forgotten'>;
  /** Answers that nobody should get. */
  readonly findings: readonly Found[];
}

/** How often a resumption comes with other limits. */
const RAISES = 0.25;

/** What a runtime may answer to what it can't do. */
const REFUSALS = new Set([
  'runtime_closed',
  'store_failed',
  'worker_lost',
  'thread_ended',
  'invalid_argument',
  'budget_refused',
  'spawns_exceeded',
  'approval_settled',
  'approval_not_found',
  'permission_denied',
  'cancelled',
]);

/** Makes people who act by chance. */
export function createPeople({ random, note }: World): People {
  const told = new Map<string, string>();
  const raised = createRaised();
  const findings: Found[] = [];
  let asked = new Set<{ readonly what: string }>();
  const ask = (what: string, work: () => Promise<unknown>): void => {
    const question = { what };
    asked.add(question);
    note(() => `people: ${what}`);
    void failureOf(work).then((failure) => {
      if (!asked.delete(question)) return;
      note(() => `people: ${what}: ${failure?.code ?? 'done'}`);
      if (failure && !REFUSALS.has(failure.code))
        findings.push({
          invariant: 'answer',
          message: `${what} was answered with ${failure.code}: ${failure.message}`,
        });
    });
  };
  const spawn = async (runtime: Runtime): Promise<void> => {
    const { id, result } = await runtime.spawn('root');
    const then = asked;
    void result.then(({ status }) => then === asked && status !== 'suspended' && told.set(id, status));
  };
  return {
    act(runtime) {
      const [what, act] = draw(random, ACTIONS);
      ask(what, async () => {
        const thread = pickThread(runtime, random);
        return thread && act ? act({ thread, runtime, random, raised }) : spawn(runtime);
      });
    },
    decide(runtime, how) {
      const status: ListedThread['status'][] = how === 'end' ? ['created', 'running', 'suspended'] : ['suspended'];
      for (const { id } of runtime.list({ status, limit: 1_000 })) {
        const [what, act] = how === 'end' ? CANCEL : draw(random, DECISIONS);
        ask(what, async () => act({ thread: runtime.thread(id), runtime, random, raised }));
      }
    },
    leave: () => void (asked = new Set()),
    unanswered: () => [...asked].map(({ what }) => what),
    told,
    raised,
    findings,
  };
}

type Scope = {
  readonly thread: ThreadHandle;
  readonly runtime: Runtime;
  readonly random: () => number;
  readonly raised: Raised;
};
type Act = (scope: Scope) => Promise<unknown>;
type NamedAct = readonly [what: string, act: Act];

const CANCEL: NamedAct = ['cancel', ({ thread }) => thread.cancel('by chance')];
const RESUME: NamedAct = ['resume', resume];
const ANSWER: NamedAct = ['answer', ({ runtime, random }) => answerOne(runtime, random)];

const ACTIONS: readonly (readonly [number, readonly [what: string, act: Act | undefined]])[] = [
  [4, ['spawn', undefined]],
  [1, CANCEL],
  [1, RESUME],
  [2, ANSWER],
  [1, ['suspend', ({ thread }) => thread.suspend()]],
  [1, ['send', ({ thread }) => thread.send('something else')]],
  [0.5, ['kill', ({ thread, runtime }) => runtime.orchestrator.killThread(thread.id)]],
  [0.5, ['hand over', ({ thread, runtime }) => runtime.orchestrator.handoffThread(thread.id)]],
];

const DECISIONS: readonly (readonly [number, NamedAct])[] = [
  [1, CANCEL],
  [2, RESUME],
  [2, ANSWER],
];

function pickThread(runtime: Runtime, random: () => number): ThreadHandle | undefined {
  const all = runtime.list({ limit: 50 });
  const one = all[Math.floor(random() * all.length)];
  return one && runtime.thread(one.id);
}

async function resume({ thread, random, raised }: Scope): Promise<void> {
  const message = random() < 0.5 ? 'go on' : undefined;
  if (random() >= RAISES) return void (await thread.resume(message));
  const limits = raised.next(random);
  const { id } = await thread.resume(message, { limits });
  raised.told(id, limits);
}

async function answerOne({ approvals }: Runtime, random: () => number): Promise<void> {
  const asked = await approvals.list({ status: 'pending' });
  const one = asked[Math.floor(random() * asked.length)];
  if (!one) return;
  if (random() < 0.3) await approvals.deny(one.approvalId);
  else await approvals.grant(one.approvalId, one.limitCode === 'turns_exceeded' ? { turns: 20 } : {});
}

async function failureOf(work: () => Promise<unknown>): Promise<Failure | undefined> {
  try {
    await work();
    return undefined;
  } catch (thrown) {
    return toFailure(thrown);
  }
}
