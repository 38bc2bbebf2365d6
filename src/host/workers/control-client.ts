import * as comlink from 'comlink';
import nodeEndpoint from 'comlink/dist/esm/node-adapter.mjs';
import type { MessagePort } from 'node:worker_threads';
import type { z } from 'zod';
import {
  configReadingSchema,
  failureSchema,
  previewAnswerSchema,
  threadViewSchema,
  workerCountersSchema,
  type ConfigPlaces,
  type ConfigReading,
  type ControlSurface,
  type HostToolInfo,
  type ThreadView,
  type WorkerCounters,
} from '../../core/control-surface.ts';
import type { Clock } from '../../core/clock.ts';
import { fromFailure, SkeinError, type Failure } from '../../core/errors.ts';
import type { PromptPreview } from '../../core/prompt-preview.ts';
import type { SpawnRequest } from '../../core/protocol.ts';
import { faultLine } from '../../core/zod-fault.ts';

/** The host's side of a worker's control surface; every call ends, if only by its deadline: with `deadline_exceeded`. */
export interface ControlClient {
  inspect(thread: number): Promise<ThreadView | undefined>;
  view(): Promise<WorkerCounters>;
  /** @throws SkeinError what is wrong with it */
  addHostTool(tool: HostToolInfo): Promise<void>;
  /** @throws SkeinError what is wrong with one of them */
  loadTools(url: string): Promise<void>;
  /** @throws SkeinError for what would keep the thread from starting */
  preview(request: SpawnRequest): Promise<PromptPreview>;
  readConfig(places: ConfigPlaces): Promise<ConfigReading>;
  /** Calls that are under way fail with this, and so do those that come later. */
  close(failure: Failure): void;
}

/** A call to a worker that stands still, or is dead, never settles by itself. */
const DEADLINE_MS = 5_000;
/** A preview waits for MCP servers and for hooks that search. */
const PREVIEW_DEADLINE_MS = 120_000;

/** Connects to a worker's control surface. */
export function createControlClient(port: MessagePort, clock: Clock): ControlClient {
  const remote = comlink.wrap<ControlSurface>(nodeEndpoint(port));
  const open = new Set<(reason: SkeinError) => void>();
  let closed: Failure | undefined;
  const ask = async <Value>(
    call: Promise<unknown>,
    schema: z.ZodType<Value>,
    deadlineMs = DEADLINE_MS,
  ): Promise<Value> => {
    if (closed) throw fromFailure(closed);
    const { promise: unanswered, reject } = Promise.withResolvers<never>();
    open.add(reject);
    const timer = clock.setTimer(deadlineMs, () => {
      reject(new SkeinError('deadline_exceeded', `A worker did not answer within ${deadlineMs} ms`));
    });
    try {
      const parsed = schema.safeParse(await Promise.race([call, unanswered]));
      if (parsed.success) return parsed.data;
      throw new SkeinError('internal', `A worker answered with something else: ${faultLine(parsed.error)}`);
    } finally {
      clock.clearTimer(timer);
      open.delete(reject);
    }
  };
  const carryOut = async (call: Promise<unknown>): Promise<void> => {
    const failure = await ask(call, failureSchema.optional());
    if (failure) throw fromFailure(failure);
  };
  return {
    inspect: (thread) => ask(remote.inspect(thread), threadViewSchema.optional()),
    view: () => ask(remote.view(), workerCountersSchema),
    addHostTool: (tool) => carryOut(remote.addHostTool(tool)),
    loadTools: (url) => carryOut(remote.loadTools(url)),
    async preview(request) {
      const answer = await ask(remote.preview(request), previewAnswerSchema, PREVIEW_DEADLINE_MS);
      if ('refusal' in answer) throw fromFailure(answer.refusal);
      return answer.preview;
    },
    readConfig: (places) => ask(remote.readConfig(places), configReadingSchema),
    close(failure) {
      closed = failure;
      port.close();
      for (const reject of open) reject(fromFailure(failure));
    },
  };
}
