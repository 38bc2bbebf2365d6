import type { Clock } from '../core/clock.ts';
import { toFailure } from '../core/errors.ts';
import { failed, ok, type Result } from '../core/result.ts';
import type { RunningTool } from '../core/tool.ts';
import { createAddressRule, createPublicRule } from './address-rules.ts';
import { createGuardedAgent, systemHosts, type ConnectRules, type HostLookup } from './http-client-connect.ts';
import { httpFailure, networkFailure } from './http-client-failure.ts';
import type { HttpOrder } from './http-client-order.ts';
import { followRedirects, type HttpAnswer } from './http-client-send.ts';
import { createCallSlots } from './call-slots.ts';

/** What the requests of one worker share. */
export type HttpClientOptions = {
  readonly clock: Clock;
  /** Private ranges that may be reached, as CIDR: the user's choice (`tools.allow_private` of agent.yaml). Default none. */
  readonly allowPrivate?: readonly string[];
  /** Requests at a time; more wait in line. Default 32. */
  readonly maxRequests?: number;
  /** Who knows where a host is. Default: the machine. */
  readonly lookup?: HostLookup;
};

/** Sends the requests of one worker's tools (`rye/core/primitives/http_client`). */
export interface HttpClient {
  /**
   * Sends a request when there is room. `ended` is called once, in a later tick, and not after `abort`. Failures are
   * `tool_failed` with a reason (`timeout network redirects response_too_large not_text`), or `permission_denied` for an
   * address that may not be reached.
   */
  start(order: HttpOrder, ended: (result: Result<HttpAnswer>) => void): RunningTool;
}

/** Makes the http client of a worker. @throws SkeinError `invalid_config` for what is no range of addresses */
export function createHttpClient(options: HttpClientOptions): HttpClient {
  const { clock, allowPrivate = [], maxRequests = 32, lookup = systemHosts } = options;
  const slots = createCallSlots(maxRequests);
  const publicRule = createPublicRule();
  const usersRule = createAddressRule(allowPrivate, publicRule);
  return {
    start(order, ended) {
      const controller = new AbortController();
      const rules = { allows: order.allowPrivate ? usersRule : publicRule, lookup };
      let silent = false;
      const place = slots.take(() => {
        const timer = clock.setTimer(order.timeoutMs, () => controller.abort(timedOut(order)));
        // It never rejects.
        void send(order, rules, controller.signal).then((result) => {
          clock.clearTimer(timer);
          place.leave();
          if (!silent) ended(result);
        });
      });
      return {
        abort: () => {
          silent = true;
          place.leave();
          controller.abort();
        },
      };
    },
  };
}

/** Never rejects. */
async function send(order: HttpOrder, rules: ConnectRules, signal: AbortSignal): Promise<Result<HttpAnswer>> {
  try {
    return ok(await sendThrough(await createGuardedAgent(rules, order.timeoutMs), order, signal));
  } catch (thrown) {
    return failed(toFailure(signal.aborted ? signal.reason : networkFailure(order, thrown), 'tool_failed'));
  }
}

async function sendThrough(agent: GuardedAgent, order: HttpOrder, signal: AbortSignal): Promise<HttpAnswer> {
  // undici looks at a signal only once it is connected; destroying the pool ends the connecting too.
  const stop = (): void => void agent.destroy();
  signal.addEventListener('abort', stop);
  try {
    signal.throwIfAborted();
    return await followRedirects(order, agent);
  } finally {
    signal.removeEventListener('abort', stop);
    await agent.destroy();
  }
}

type GuardedAgent = Awaited<ReturnType<typeof createGuardedAgent>>;

function timedOut({ timeoutMs }: HttpOrder): unknown {
  return httpFailure('timeout', `there was no full answer within ${timeoutMs / 1000} s`);
}
