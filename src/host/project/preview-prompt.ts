import { MessageChannel } from 'node:worker_threads';
import { systemClock } from '../../core/clock.ts';
import { doneWithin } from '../../core/done-within.ts';
import { fromFailure, SkeinError, type Failure } from '../../core/errors.ts';
import type { PromptPreview } from '../../core/prompt-preview.ts';
import type { WorkerCommand, WorkerReport } from '../../core/protocol.ts';
import type { Result } from '../../core/result.ts';
import type { LoadSymbolTasks } from '../../core/symbol-tasks.ts';
import { createControlClient } from '../workers/control-client.ts';
import { checkFunction, checkText } from '../handle/argument-types.ts';
import { harmless } from '../handle/harmless.ts';
import { inputsOf } from '../handle/spawn-arguments.ts';
import { loadRuntimeConfig } from '../config/runtime-config.ts';
import type { RuntimeOptions } from '../runtime-options.ts';
import { createSymbolQuestions, type SymbolQuestions } from '../workers/symbol-questions.ts';
import { startWorkerPool, type WorkerLink } from '../workers/worker-pool.ts';

/** Settings of `previewPrompt`: those of the runtime whose thread it would be, and those of the thread. */
export type PreviewOptions = Pick<RuntimeOptions, 'project' | 'userSpace' | 'config' | 'env' | 'scripts' | 'tools'> & {
  /** `provider:model`, a model id, or a tier. */
  readonly model?: string | undefined;
  /** Told of what is wrong with items that the thread does not use. */
  readonly onProblem?: ((failure: Failure) => void) | undefined;
};

/** What is previewed. */
export type PreviewOrder = {
  readonly directive: string;
  readonly inputs: Readonly<Record<string, unknown>>;
  readonly options: PreviewOptions & { readonly env: Readonly<Record<string, string | undefined>> };
};

/**
 * Asks a worker of its own what a thread would send. Nothing is stored, and the project's lock is not needed: a runtime may
 * have it meanwhile.
 */
export async function startPreview(
  { directive, inputs: given, options }: PreviewOrder,
  loadSymbols: LoadSymbolTasks,
): Promise<PromptPreview> {
  const inputs = inputsOf(given);
  if (options.model !== undefined) checkText('The model of a preview', options.model);
  if (options.onProblem !== undefined) checkFunction('onProblem of previewPrompt', options.onProblem);
  const { config, projectPath, userSpace, systemDir } = loadRuntimeConfig(options);
  const { env, scripts = {}, tools = [], model, onProblem } = options;
  // A preview stores nothing: nobody is at the other end.
  const store = new MessageChannel();
  const pool = startWorkerPool({
    workers: 1,
    storePort: () => store.port2,
    task: {
      projectPath,
      userSpace,
      systemDir,
      config,
      env: { ...env },
      scripts,
      toolModules: tools.map(String),
      validateEvents: 'off',
    },
  });
  const symbols = createSymbolQuestions(loadSymbols);
  try {
    const [link] = pool.links;
    if (!link) throw new SkeinError('internal', 'There is no worker');
    const heardAll = hear(link, symbols, onProblem);
    await pool.ready;
    try {
      return await ask(link, { directive, inputs, model });
    } finally {
      await heardAll();
    }
  } finally {
    await pool.close();
    await symbols.close();
    store.port1.close();
  }
}

type Asked = Omit<PreviewOrder, 'options'> & { readonly model: string | undefined };

async function ask({ control, over }: WorkerLink, { directive, inputs, model }: Asked): Promise<PromptPreview> {
  const client = createControlClient(control, systemClock);
  try {
    const none = { limits: undefined, parent: undefined, outputSchema: undefined };
    return await Promise.race([client.preview({ directive, inputs, model, ...none }), lost(over)]);
  } finally {
    client.close({ code: 'runtime_closed', message: 'The preview is over' });
  }
}

async function lost(over: WorkerLink['over']): Promise<never> {
  const failure = await over;
  throw fromFailure(failure ?? { code: 'worker_lost', message: 'The worker of the preview has ended' });
}

/** How long is waited for the last reports of a worker that may stand still. */
const LAST_REPORTS_MS = 1_000;

/**
 * Listens to the worker's reports. What it returns resolves when all have come that were said up to now: answers come by another
 * port, and may be here before them.
 */
function hear({ port, over }: WorkerLink, symbols: SymbolQuestions, onProblem: PreviewOptions['onProblem']): HeardAll {
  const send = (command: WorkerCommand): void => port.postMessage([command]);
  const answer = (ref: number, result: Result<string>): void => {
    send({ type: 'answer', ref, ...(result.ok ? { value: result.value } : { failure: result.failure }) });
  };
  // Who throws at a problem is told of no other one for that.
  const tell = harmless(
    (failure: Failure) => onProblem?.(failure),
    () => undefined,
  );
  const last = Promise.withResolvers<void>();
  port.on('message', (batch) => {
    // Workers report in batches.
    for (const report of batch as readonly WorkerReport[]) {
      if (report.type === 'problem') tell(report.failure);
      if (report.type === 'symbols') symbols.ask(report.task, (result) => answer(report.ref, result));
      if (report.type === 'heard' || report.type === 'gone') last.resolve();
    }
  });
  return async () => {
    // There is no such thread: the worker says so at once, after all that it has said before.
    send({ type: 'send', ref: 0, thread: 0, text: '' });
    await doneWithin(LAST_REPORTS_MS, Promise.race([last.promise, over]), systemClock);
  };
}

type HeardAll = () => Promise<void>;
