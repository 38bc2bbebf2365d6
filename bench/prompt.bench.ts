/*
 * Prompts: how fast a worker makes what a thread sends with its first call. See README.md for what is measured.
 * `node bench/prompt.bench.ts [options]`
 */
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { systemClock } from '../src/core/clock.ts';
import type { Services } from '../src/thread/services/services.ts';
import { loadContext } from '../src/thread/plan/context-items.ts';
import { messageTexts, systemTexts } from '../src/prompt/prompt-parts.ts';
import { prepareSpec } from '../src/thread/plan/prepare-spec.ts';
import { promptText } from '../src/thread/plan/prompt-text.ts';
import { createThread } from '../src/thread/thread.ts';
import { createThreadServices } from '../src/thread/services/thread-services.ts';
import { createItemProject, type ItemProject } from './item-project.ts';
import type { Measured } from './job.ts';
import { leafId, promptItems } from './prompt-texts.ts';
import { readSeriesOptions } from './series-options.ts';
import { runSeries } from './series.ts';

/** Times each directive's prompt is made when all has been seen. */
const AGAIN = 50;

const ID = `thread-${'0'.repeat(32)}` as const;

const { sizes, runs, json, scratch } = readSeriesOptions('prompt', {
  directives: { about: 'directives, each with a chain of three and six knowledge items', standard: 400, least: 1 },
});
const { directives } = sizes;
using project = createItemProject(promptItems(directives), scratch);
// So that no run is the one in which the code is compiled.
measureOnce(project, directives);
await runSeries({ scenario: 'prompt', code: 'src', items: directives * 9, runs, json }, () => ({
  metrics: measureOnce(project, directives),
  problems: [],
}));

/** The first prompt of each directive, then the same again and again, with other inputs. */
function measureOnce(project: ItemProject, directives: number): Measured['metrics'] {
  const services = openServices(project);
  try {
    // The list of tools is a worker's, not a directive's.
    services.tools.all();
    const numbers = Array.from({ length: directives }, (_, at) => at);
    const prompts_cold = perSecond(numbers, (at) => assemble(services, at, 'first'));
    const again = Array.from({ length: AGAIN }, (_, round) =>
      numbers.map((at) => [at, `round ${round}`] as const),
    ).flat();
    const prompts_cached = perSecond(again, ([at, what]) => assemble(services, at, what));
    return { prompts_cold, prompts_cached };
  } finally {
    services.close();
  }
}

function assemble(services: BenchServices, at: number, what: string): void {
  const order = { limits: undefined, model: undefined, parent: undefined, outputSchema: undefined };
  const spec = prepareSpec({ directive: leafId(at), inputs: { what }, ...order }, services);
  const plan = services.plans.planFor(spec.shared);
  const lineage = { thread: at, threadId: ID, parent: undefined, parentId: undefined, root: at };
  const thread = createThread({ lineage, spec, plan, now: 0 });
  let made = 0;
  loadContext({ thread, services }, (context) => {
    const system = plan.join.system(systemTexts(context));
    const message = plan.join.message(
      messageTexts(context, promptText(thread, services, { context, body: undefined })),
    );
    if (!message.includes(what)) throw new Error(`The prompt of ${leafId(at)} is not about ${what}`);
    made = system.length + message.length + plan.palette.definitions.length;
  });
  // Two knowledge items of each level in it, and all tools on offer.
  if (made < 4000 || plan.palette.definitions.length < 21) throw new Error(`The prompt of ${leafId(at)} is not whole`);
}

type BenchServices = Services & { readonly close: () => void };

function openServices({ projectPath, userSpace, config }: ItemProject): BenchServices {
  const refuse = (): never => {
    throw new Error('A prompt needs neither store nor host');
  };
  const agent = { ...config.agent, tiers: { general: { provider: 'scripted', model: 'main' } } };
  const services = createThreadServices({
    projectPath,
    userSpace,
    systemDir: fileURLToPath(new URL('../config', import.meta.url)),
    config: { ...config, agent },
    env: process.env,
    scripts: { main: { rules: [{ text: 'done' }] } },
    validateEvents: 'off',
    clock: systemClock,
    random: Math.random,
    randomBytes,
    schedule: refuse,
    store: { submit: refuse, pending: () => 0, close: () => undefined },
    report: refuse,
    fatal: refuse,
  });
  return { ...services, forget: () => undefined, leave: () => undefined, latest: () => services };
}

function perSecond<Work>(all: readonly Work[], work: (one: Work) => void): number {
  const begin = process.cpuUsage();
  for (const one of all) work(one);
  const { user, system } = process.cpuUsage(begin);
  return (all.length * 1_000_000) / (user + system);
}
