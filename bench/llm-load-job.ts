/** What the clients of a scripted server do. */
export type LlmLoad = {
  readonly origin: string;
  readonly path: string;
  /** Of every request, as JSON text. */
  readonly body: string;
  readonly warmUp: number;
  readonly requests: number;
  readonly connections: number;
};
