import type { MessagePort } from 'node:worker_threads';
import type { HostToolInfo } from './control-surface.ts';
import type { Vitals } from './vitals.ts';

/**
 * What is done about an event whose payload does not fit `payload_schema` of `events.yaml`: `error` ends its thread,
 * `count` counts it, `off` does not look. The event is stored in any case.
 */
export type EventValidation = 'error' | 'count' | 'off';

/** Requests to models are written to a folder, or answered from what was written there; the path is absolute. */
export type Recording = { readonly mode: 'record' | 'replay'; readonly path: string };

/** What a thread worker's host task is given. Everything in it crosses a thread: plain data and transferred ports. */
export type ThreadWorkerTask = {
  /** No two workers of a runtime have the same. */
  readonly index: number;
  readonly vitals: Vitals;
  /** Commands and reports, batched. The worker's first message on it says that it is ready. */
  readonly port: MessagePort;
  /** The control surface (Comlink). */
  readonly control: MessagePort;
  /** To the store worker. */
  readonly store: MessagePort;
  readonly projectPath: string;
  readonly userSpace: string | undefined;
  /** The package's own `config` folder, with the system space. */
  readonly systemDir: string;
  /** The merged, parsed configuration: workers read no config files. */
  readonly config: unknown;
  readonly validateEvents: EventValidation;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Scripts of the scripted model, by name. */
  readonly scripts: Readonly<Record<string, unknown>>;
  /** URLs of modules with registered tools. */
  readonly toolModules: readonly string[];
  /** What was registered since then, in this order: URLs of such modules, and tools that are functions on the host. */
  readonly registered: readonly (string | HostToolInfo)[];
  readonly recording?: Recording | undefined;
};
