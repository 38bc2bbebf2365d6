import { systemClock } from '../core/clock.ts';
import { toFailure } from '../core/errors.ts';
import { createRuntime, type Runtime, type RuntimeOptions } from '../index.ts';
import { closeOnInterrupt, InterruptedError, type Interrupts } from './interrupt.ts';
import type { CliIo } from './io.ts';
import { showProgress, type Show } from './show-progress.ts';

/** The runtime that a command starts for itself. */
export type RuntimeHere = {
  /** Absolute path of the project's root. */
  readonly project: string;
  readonly workers?: number | undefined;
  readonly scripts?: RuntimeOptions['scripts'];
  readonly record?: string;
  readonly replay?: string;
  readonly inspect?: RuntimeOptions['inspect'];
  /** Settings over those of `agent.yaml`, for who calls this from code: no command line has any. */
  readonly agent?: Readonly<Record<string, unknown>>;
};

/** What the person at the terminal sees and does meanwhile. */
export type Terminal = { readonly show: Show; readonly interrupts: Interrupts };

/**
 * Does something in a runtime of this process and shows on stderr what happens in it. Ctrl-C closes the runtime, a second one
 * ends the process; the runtime is closed when `work` is done. What other threads of the project were interrupted in is left
 * to a runtime that stays (ADR 40).
 *
 * @throws SkeinError if the runtime can't be started; nothing was shown then
 */
export async function inRuntimeHere<Done>(
  { project, workers, scripts, record, replay, inspect, agent }: RuntimeHere,
  io: CliIo,
  work: (runtime: Runtime, terminal: Terminal) => Promise<Done>,
): Promise<Done> {
  const show = showProgress(io, systemClock);
  const interrupts = closeOnInterrupt(io, (line) => show.say(line));
  try {
    await using runtime = await createRuntime({
      project,
      env: io.env,
      ...(workers !== undefined && { workers }),
      ...(scripts && { scripts }),
      // What others left unfinished is not this command's to do.
      config: { ...(agent && { agent }), resilience: { coordination: { on_restart: 'suspend' } } },
      ...(record !== undefined && { record }),
      ...(replay !== undefined && { replay }),
      ...(inspect !== undefined && { inspect }),
    });
    interrupts.closes(runtime);
    runtime.on<'event'>('event', (event) => show.event(event));
    runtime.on<'problem'>('problem', (failure) => show.problem(failure));
    return await work(runtime, { show, interrupts });
  } catch (thrown) {
    const isInterrupted = interrupts.seen() && toFailure(thrown).code === 'runtime_closed';
    throw isInterrupted ? new InterruptedError(thrown) : thrown;
  } finally {
    show.stop();
    interrupts.stop();
  }
}
