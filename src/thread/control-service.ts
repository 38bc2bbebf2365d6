import { z } from 'zod';
import {
  hostToolSchema,
  type ControlSurface,
  type HostToolInfo,
  type WorkerCounters,
} from '../core/control-surface.ts';
import { toFailure, type Failure } from '../core/errors.ts';
import { failed, ok, type Result } from '../core/result.ts';
import type { Tool } from '../core/tool.ts';
import { loadModuleTools } from '../tools/module-tools.ts';
import { compileDeclared } from '../tools/registered-input.ts';
import { findReserved } from '../tools/reserved-keys.ts';
import type { CallContext } from '../tools/traced-call.ts';
import { costOf } from './cost.ts';
import { readConfig } from './services/read-config.ts';
import type { Services } from './services/services.ts';
import type { ThreadHost } from './thread-host.ts';

/** What the control surface shows and changes. */
export type ControlServiceOptions = {
  readonly host: ThreadHost;
  readonly services: Pick<Services, 'tools' | 'host' | 'counters' | 'redactor'>;
  readonly trace: CallContext;
};

/** A worker's side of the control surface. */
export function createControlService({ host, services, trace }: ControlServiceOptions): ControlSurface {
  return {
    inspect(no) {
      const thread = host.get(z.int().parse(no));
      if (!thread) return undefined;
      const state = host.stateOf(no) ?? 'unknown';
      return { state, ...costOf(thread), messages: thread.messages.length };
    },
    view(): WorkerCounters {
      const { turns, spend, usage, events, invalidEvents } = services.counters;
      const { inputTokens, cacheReadTokens } = usage.total();
      return {
        threads: host.size(),
        states: host.states(),
        turns,
        spend,
        inputTokens,
        cacheReadTokens,
        events,
        invalidEvents: Object.fromEntries(invalidEvents),
        openQuestions: services.host.open(),
      };
    },
    addHostTool: (info) => refusal(() => services.tools.add([hostTool(hostToolSchema.parse(info), services)])),
    async preview(request) {
      try {
        return services.redactor.data({ preview: await host.preview(request) });
      } catch (thrown) {
        return services.redactor.data({ refusal: toFailure(thrown) });
      }
    },
    readConfig,
    loadTools: (url) => refusal(async () => services.tools.add(await loadModuleTools(z.string().parse(url), trace))),
  };
}

/** What keeps tools from being added, as plain data. */
async function refusal(add: () => void | Promise<void>): Promise<Failure | undefined> {
  try {
    await add();
    return undefined;
  } catch (thrown) {
    const { code, message } = toFailure(thrown, 'invalid_argument');
    return { code, message };
  }
}

/**
 * A tool whose code is a function on the host: asked by message, slower than one loaded in the worker.
 *
 * @throws SkeinError `invalid_argument` for a JSON Schema that can't be used
 */
export function hostTool(info: HostToolInfo, { host }: Pick<Services, 'host'>): Tool {
  const { id, description, inputSchema, idempotent, isChecked, calledAs } = info;
  const check = isChecked ? compileDeclared(inputSchema, `registerTool (${id})`) : refuseReserved;
  return {
    id,
    description,
    inputSchema,
    idempotent,
    run(given, { threadId, callId }, done) {
      if (threadId === undefined) {
        done(failed({ code: 'not_available', message: `${id} can be called by threads only` }));
        return undefined;
      }
      const input = check(given);
      if (!input.ok) {
        done(input);
        return undefined;
      }
      const question = {
        type: 'hostCall',
        kind: 'tool',
        name: calledAs,
        input: input.value,
        threadId,
        callId,
      } as const;
      // The text that host-functions.ts makes of a result.
      return host.ask(question, (answer) => done(answer.ok ? ok(JSON.parse(answer.value as string)) : answer));
    },
  };
}

/** All that is to be looked at here if the host has a schema. */
function refuseReserved(input: Params): Result<Params> {
  const reserved = findReserved(input);
  return reserved ? failed(reserved) : ok(input);
}

type Params = Readonly<Record<string, unknown>>;
