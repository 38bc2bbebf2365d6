import type { StandardSchemaV1 } from '@standard-schema/spec';
import type { LimitOverrides } from '../core/limits.ts';
import type { EventValidation } from '../core/worker-task.ts';
import type { InspectOptions } from './inspection/inspect-options.ts';
import type { TelemetryOptions } from './telemetry/telemetry-options.ts';
import type { FunctionCaller } from './workers/host-functions.ts';

/** Settings of `createRuntime`. */
export type RuntimeOptions = {
  /** Root of the project; its items and its database are in `.ai` below. Default: the working directory. */
  readonly project?: string | undefined;
  /** The user space. Default `SKEIN_USER_SPACE`, else `~/.ai`; `false` = none. */
  readonly userSpace?: string | false | undefined;
  /** Settings over those of the files, by file name: `{resilience: {concurrency: {max_total_threads: 1000}}}`. */
  readonly config?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Whether changed config files of user and project are noticed while the runtime runs (default: true). A valid change
   * holds for threads that start or are read back from then on; one that is not valid changes nothing and is told as a
   * `problem`. `reloadConfig()` reads the files in any case.
   */
  readonly watchConfig?: boolean | undefined;
  /** Environment for keys, interpreters and `{env:…}`. Default: the process's. */
  readonly env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * What is done about an event whose payload does not fit `events.yaml`: `error` ends its thread with `event_invalid`,
   * `count` counts it (`view().workers[].invalidEvents`), `off` does not look. The event is stored in any case. Default:
   * `count` if `NODE_ENV` in `env` is `production`, else `error`.
   */
  readonly validateEvents?: EventValidation | undefined;
  /** Thread workers, at most 256. Default: one less than the processors, at least 1. */
  readonly workers?: number | undefined;
  /** Scripts of the scripted model by name: `scripted:<name>` is then a model. */
  readonly scripts?: Readonly<Record<string, unknown>> | undefined;
  /** Whether other processes, as the command line, can reach the runtime: a socket in `.ai/threads`. Default true. */
  readonly controlSocket?: boolean | undefined;
  /**
   * A folder into which every request to a model and its answer is written, as JSON lines and without secrets. It is made if
   * it is not there, and must have no recording yet.
   */
  readonly record?: string | undefined;
  /**
   * Answers every request to a model from a recording, byte for byte; one that was not recorded fails with `replay_missing`.
   * Needs no keys, runs in one worker, and does not wait as the model did.
   */
  readonly replay?: string | undefined;
  /** Modules with registered tools, loaded in every worker: file URLs or package names' resolved URLs. */
  readonly tools?: readonly (string | URL)[] | undefined;
  /** Spans and metrics for OpenTelemetry; `true`: to the providers that are registered with its API. Default: none. */
  readonly telemetry?: boolean | TelemetryOptions | undefined;
  /**
   * Lets others on this machine look into the machines of threads and supervisor, with a receiver of `@statelyai/inspect` or
   * Stately's inspector (docs/inspecting.md); `true`: at all threads. Default: nobody can, and nothing is done for it.
   */
  readonly inspect?: boolean | InspectOptions | undefined;
};

/** Settings of `runtime.spawn`. `Outputs` is what the `output` schema yields. */
export type SpawnOptions<Outputs = Readonly<Record<string, unknown>>> = {
  /** Limits over the directive's own; `spend` in USD, `duration_seconds` in seconds. */
  readonly limits?: LimitOverrides | undefined;
  /** `provider:model`, a model id, or a tier. */
  readonly model?: string | undefined;
  /** Cancels the thread when aborted; no listener is left on it afterwards. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Makes it a child: capped by its parent's limits, paid from its parent's budget, cancelled with it. The parent has to be granted
   * its directive, with `<directive>` in the permissions. If the thread has handed over, its parent is the one that goes on with it.
   */
  readonly parent?: string | undefined;
  /** A Standard Schema (zod, valibot, arktype …) the outputs must meet; `outputs` then has its type. */
  readonly output?: StandardSchemaV1<unknown, Outputs> | undefined;
};

/** A tool given to `runtime.registerTool`. */
export type ToolRegistration<Input = Readonly<Record<string, unknown>>> =
  | {
      /** Item id, e.g. `app/price`; a model sees `app_price`. */
      readonly id: string;
      readonly description: string;
      /** Checks the input: a Standard Schema (zod, valibot, …) or a JSON Schema of an object. */
      readonly input: StandardSchemaV1<unknown, Input> | Readonly<Record<string, unknown>>;
      /** JSON Schema for the model; needed only if `input` is a Standard Schema that is not zod's. */
      readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
      /** True if running it twice does no harm; such a call need not wait for its start to be on disk. */
      readonly idempotent?: boolean | undefined;
      /**
       * Runs on the host's thread; must not block it. Its caller keeps its slot meanwhile: as many calls as there are slots that
       * wait for other threads wait for each other. The model's own waits (`thread_directive`, `wait_threads`) give the slot back.
       */
      readonly run: (input: Input, caller: FunctionCaller) => unknown;
    }
  | {
      /** A module whose default export is a list of `ModuleTool`s, loaded in every worker: the fast path. */
      readonly module: string | URL;
    };
