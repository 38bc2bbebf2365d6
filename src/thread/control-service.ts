import { z } from 'zod';
import {
  hostToolSchema,
  type ControlSurface,
  type HostToolInfo,
  type WorkerCounters,
} from '../core/control-surface.ts';
import { toFailure } from '../core/errors.ts';
import { failed } from '../core/result.ts';
import type { Tool } from '../core/tool.ts';
import { loadModuleTools } from '../tools/module-tools.ts';
import { findReserved } from '../tools/reserved-keys.ts';
import type { CallTrace } from '../tools/traced-call.ts';
import { costOf } from './cost.ts';
import { readConfig } from './services/read-config.ts';
import type { Services } from './services/services.ts';
import type { ThreadHost } from './thread-host.ts';

/** What the control surface shows and changes. */
export type ControlServiceOptions = {
  readonly host: ThreadHost;
  readonly services: Pick<Services, 'tools' | 'host' | 'counters' | 'redactor'>;
  readonly trace: CallTrace;
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
    addHostTool(info) {
      services.tools.add([hostTool(hostToolSchema.parse(info), services)]);
    },
    async preview(request) {
      try {
        return services.redactor.data({ preview: await host.preview(request) });
      } catch (thrown) {
        return services.redactor.data({ refusal: toFailure(thrown) });
      }
    },
    readConfig,
    async loadTools(url) {
      try {
        services.tools.add(await loadModuleTools(z.string().parse(url), trace));
        return undefined;
      } catch (thrown) {
        const { code, message } = toFailure(thrown, 'invalid_argument');
        return { code, message };
      }
    },
  };
}

/** A tool whose code is a function on the host: asked by message, slower than one loaded in the worker. */
export function hostTool(info: HostToolInfo, { host }: Pick<Services, 'host'>): Tool {
  return {
    ...info,
    run(input, { threadId }, done) {
      if (threadId === undefined) {
        done({ ok: false, failure: { code: 'not_available', message: `${info.id} can be called by threads only` } });
        return undefined;
      }
      const reserved = findReserved(input);
      if (reserved) {
        done(failed(reserved));
        return undefined;
      }
      const question = { type: 'hostCall', kind: 'tool', name: info.id, input, threadId } as const;
      return host.ask(question, (answer) => done(answer));
    },
  };
}
