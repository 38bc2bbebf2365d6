import type OpenAI from 'openai';
import type { Clock } from '../core/clock.ts';
import type { Fetch } from './http-fetch.ts';
import { createFetch } from './http-fetch.ts';
import { NO_SDK_TIMEOUT } from './sdk-limits.ts';
import type { Timeouts } from './watchdog.ts';

/** What an OpenAI provider of either API is made from; timeouts in milliseconds. */
export type OpenaiOptions = {
  /** Left out for servers that ask for none; then no `Authorization` header is sent. */
  readonly apiKey?: string;
  readonly clock: Clock;
  /** Any server that speaks the API, up to and including its version, e.g. `http://127.0.0.1:8080/v1`. */
  readonly baseUrl?: string;
  readonly timeouts?: Partial<Timeouts>;
  readonly fetch?: Fetch;
  /** Name of the provider in configuration; default `openai`. */
  readonly id?: string;
};

/** Loads the SDK and makes a client. Every value the SDK would otherwise take from the environment is given. */
export async function createOpenaiClient({ apiKey, baseUrl, fetch }: OpenaiOptions): Promise<OpenAI> {
  const { default: OpenAI } = await import('openai');
  return new OpenAI({
    apiKey: apiKey ?? 'none',
    adminAPIKey: null,
    organization: null,
    project: null,
    webhookSecret: null,
    baseURL: baseUrl ?? 'https://api.openai.com/v1',
    fetch: fetch ?? createFetch(),
    maxRetries: 0,
    timeout: NO_SDK_TIMEOUT,
    logLevel: 'off',
    ...(apiKey === undefined && { defaultHeaders: { authorization: null } }),
  });
}

/** Whether a base URL is OpenAI's own; none is. */
export function isOpenai(baseUrl: string | undefined): boolean {
  if (baseUrl === undefined) return true;
  const host = URL.parse(baseUrl)?.hostname ?? '';
  return host === 'api.openai.com' || host.endsWith('.api.openai.com');
}
