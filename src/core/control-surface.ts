import { z } from 'zod';
import type { Failure } from './errors.ts';
import { promptPreviewSchema, type PromptPreview } from './prompt-preview.ts';
import type { SpawnRequest } from './protocol.ts';

/** What the control surface says of a thread in a worker. */
export const threadViewSchema = z.object({
  state: z.string(),
  turns: z.int(),
  inputTokens: z.int(),
  outputTokens: z.int(),
  spend: z.int(),
  cacheReadTokens: z.int().optional(),
  cacheWriteTokens: z.int().optional(),
  messages: z.int(),
});

/** A live thread as its worker sees it; `spend` in nano-USD. */
export type ThreadView = z.infer<typeof threadViewSchema>;

/** What the control surface says of a worker. */
export const workerCountersSchema = z.object({
  threads: z.int(),
  /** Threads by machine state, e.g. `running.calling`. */
  states: z.record(z.string(), z.int()),
  turns: z.int(),
  spend: z.int(),
  /** Of all calls, and what of that came from the caches of providers. */
  inputTokens: z.int(),
  cacheReadTokens: z.int(),
  events: z.int(),
  /** Events whose payload did not fit `events.yaml`, by type; none are looked for with `validateEvents: 'off'`. */
  invalidEvents: z.record(z.string(), z.int()),
  openQuestions: z.int(),
});

/** A worker's counters since its start; `spend` in nano-USD, of live and ended threads. */
export type WorkerCounters = z.infer<typeof workerCountersSchema>;

/** A tool that runs as a function on the host. */
export const hostToolSchema = z.object({
  id: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
  idempotent: z.boolean(),
  /** The function's name on the host. */
  calledAs: z.string(),
  /** Whether `inputSchema` is all that checks its input; else the host has a schema that does. */
  isChecked: z.boolean(),
});

const placeSchema = z.object({
  file: z.string().exactOptional(),
  line: z.int().exactOptional(),
  column: z.int().exactOptional(),
  path: z.string().exactOptional(),
});

/** A failure on its way between threads. */
export const failureSchema: z.ZodType<Failure> = z.object({
  code: z.string() as unknown as z.ZodType<Failure['code']>,
  message: z.string(),
  where: placeSchema.exactOptional(),
  detail: z.record(z.string(), z.unknown()).exactOptional(),
});

/** What a preview comes to. */
export const previewAnswerSchema = z.union([
  z.object({ preview: promptPreviewSchema }),
  z.object({ refusal: failureSchema }),
]);

/** A preview, or why there is none. */
export type PreviewAnswer = { readonly preview: PromptPreview } | { readonly refusal: Failure };

/** Where a worker is to read the configuration from: `ConfigSources` of `src/config`. */
export const configPlacesSchema = z.strictObject({
  systemDir: z.string(),
  userDir: z.string().exactOptional(),
  projectDir: z.string().exactOptional(),
  overrides: z.record(z.string(), z.unknown()).exactOptional(),
});

/** What reading the configuration came to: all of it, or what is wrong with it and where. */
export const configReadingSchema = z.union([
  z.strictObject({ config: z.record(z.string(), z.unknown()), warnings: z.array(z.string()) }),
  z.strictObject({ code: z.string(), message: z.string(), where: placeSchema.exactOptional() }),
]);

/** Arguments and answer of `readConfig`. */
export type ConfigPlaces = z.infer<typeof configPlacesSchema>;
export type ConfigReading = z.infer<typeof configReadingSchema>;

/** A registered host tool, as workers know it. */
export type HostToolInfo = z.infer<typeof hostToolSchema>;

/**
 * The low-rate control surface of a thread worker (architecture): inspection and settings, over Comlink. Arguments and
 * results are checked on both sides, and every call has a deadline.
 */
export interface ControlSurface {
  inspect(thread: number): ThreadView | undefined;
  view(): WorkerCounters;
  /** Resolves to what is wrong with it: an error would lose its code on the way. */
  addHostTool(tool: HostToolInfo): Promise<Failure | undefined>;
  /** Resolves to what a thread would send, or to why it would not start: an error would lose its code on the way. */
  preview(request: SpawnRequest): Promise<PreviewAnswer>;
  /** Reads, merges and checks the config files; changes nothing. */
  readConfig(places: ConfigPlaces): ConfigReading;
  /** Resolves to what is wrong with the module, if something is: an error would lose its code on the way. */
  loadTools(url: string): Promise<Failure | undefined>;
}
