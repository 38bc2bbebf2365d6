import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test, vi } from 'vitest';
import type { Finding } from '../../src/core/finding.ts';
import { isThreadId, type ThreadId } from '../../src/core/ids.ts';
import { legalEdges } from '../../src/host/project/legal-edges.ts';
import { checkStore } from '../../src/store/checks/check-store.ts';
import { createRandom } from '../../bench/random.ts';
import { chaosOptions, chaosParts, type ChaosShape } from '../fixtures/chaos.ts';
import { project, startOn, type Project } from '../fixtures/scene.ts';
import { chargeOf, nodesOf, readTree, treeSize } from '../fixtures/tree.ts';

/** Rounds of this run; `npm run test:chaos` has 200. */
const ROUNDS = Number(process.env['CHAOS_ROUNDS'] ?? 20);
/**
 * Another one every day, printed with each round so that a failing one can be repeated with `CHAOS_ROUNDS=1`: the same tree
 * and the same delays. Where in the program a kill finds it is the machine's.
 */
const SEED = Number(process.env['CHAOS_SEED'] ?? Math.floor(Date.now() / 86_400_000));
/** Longest a round may take on average, on a machine with other work. */
const ROUND_MS = 45_000;
const PROCESS = fileURLToPath(new URL('../fixtures/chaos-process.ts', import.meta.url));
const ENDED = new Set(['completed', 'error', 'cancelled', 'continued']);

test(
  `trees of threads, killed at any moment and in recovery, end whole and cost what they cost, ${ROUNDS} times`,
  async () => {
    let acknowledged = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const seed = SEED + round;
      const random = createRandom(seed);
      const shape = drawShape(random);
      using made = project(chaosParts(shape));
      const kills = 1 + Math.floor(random() * 3);
      console.log(`seed ${seed}: ${treeSize(shape)} threads, ${JSON.stringify(shape)}, ${kills} kills`);
      const told: Told = { roots: [], events: new Map() };
      for (let kill = 0; kill < kills; kill++) {
        await runAndKill(made, shape, { how: kill === 0 ? 'start' : 'recover', afterMs: random() * 500, told });
        // Before anybody writes more: what is lost would be written anew.
        expect({ seed, kill, findings: findingsIn(made, told) }).toEqual({ seed, kill, findings: [] });
      }
      await goOn(made, shape);
      expect({ seed, findings: findingsIn(made, told) }).toEqual({ seed, findings: [] });
      const [root, ...more] = told.roots;
      expect([root, more]).toEqual([expect.stringMatching(/^thread-/), []]);
      const spend = readTree(made, root ?? 'thread-', (tree, reader) => ({
        threads: nodesOf(tree).length,
        actual: reader.ledger(tree.row.thread)?.actual,
        reserved: reader.ledger(tree.row.thread)?.reserved,
      }));
      expect({ seed, ...spend }).toEqual({ seed, threads: treeSize(shape), actual: chargeOf(0, shape), reserved: 0 });
      acknowledged += [...told.events.values()].reduce((sum, last) => sum + last, 0);
    }
    expect(acknowledged).toBeGreaterThan(ROUNDS);
  },
  ROUND_MS * ROUNDS,
);

/** What the killed processes had been told is on disk: threads that they had spawned, the last event of each thread. */
type Told = { readonly roots: ThreadId[]; readonly events: Map<ThreadId, number> };

/** All invariants, E1 among them. */
function findingsIn({ path }: Project, { events }: Told): readonly Finding[] {
  const check = { edges: legalEdges(), secrets: new Map(), acknowledged: events };
  return checkStore(join(path, '.ai', 'threads', 'threads.db'), check);
}

function drawShape(random: () => number): ChaosShape {
  return {
    depth: 2 + Math.floor(random() * 2),
    fanOut: 2 + Math.floor(random() * 3),
    synchronous: random() < 0.5,
    answerMs: Math.floor(random() * 30),
  };
}

type Kill = { readonly how: 'start' | 'recover'; readonly afterMs: number; readonly told: Told };

async function runAndKill({ path }: Project, shape: ChaosShape, { how, afterMs, told }: Kill): Promise<void> {
  const child = spawn(process.execPath, [PROCESS, path, JSON.stringify(shape), how], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const gone = once(child, 'close');
  const running = Promise.withResolvers<void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'running.') running.resolve();
    else note(told, line);
  });
  await Promise.race([running.promise, gone]);
  // The moment is what is drawn here; nothing is waited for.
  await sleep(afterMs);
  child.kill('SIGKILL');
  await gone;
}

/** A line is whole only with its full stop: the kill may have cut the last one. */
function note({ roots, events }: Told, line: string): void {
  const [, what, id = '', sequence = ''] = /^(spawned|event) (thread-\w+) ?(\d*)\.$/.exec(line) ?? [];
  if (!isThreadId(id)) return;
  if (what === 'spawned') roots.push(id);
  else events.set(id, Number(sequence));
}

/** Lets the last runtime end what is left. */
async function goOn(made: Project, shape: ChaosShape): Promise<void> {
  await using runtime = await startOn(made, chaosParts(shape), chaosOptions());
  await vi.waitUntil(() => runtime.list({ limit: 1_000 }).every(({ status }) => ENDED.has(status)), {
    timeout: 300_000,
    interval: 20,
  });
}
