import type { Clock } from '../core/clock.ts';
import type { Fetch } from './http-fetch.ts';
import type { Timeouts } from './watchdog.ts';

/** What an adapter is made from; timeouts in milliseconds. */
export type AdapterOptions = {
  readonly clock: Clock;
  /** Where the server is; default: at the provider's own address. What of the path belongs to it, the adapter says. */
  readonly baseUrl?: string;
  readonly timeouts?: Partial<Timeouts>;
  readonly fetch?: Fetch;
  /** Name of the provider in configuration; default: that of the adapter. */
  readonly id?: string;
};

/** What an adapter of a provider is made from that asks for a key. */
export type KeyedOptions = AdapterOptions & { readonly apiKey: string };
