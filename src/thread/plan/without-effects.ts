import { asText } from '../../core/path.ts';
import type { Failure } from '../../core/errors.ts';
import { failed } from '../../core/result.ts';
import type { RunningTool } from '../../core/tool.ts';
import type { GivenAction } from '../../tools/primary-request.ts';
import { failure } from '../../tools/primary-result.ts';
import type { Services } from '../services/services.ts';
import type { ThreadWarning } from './start-warnings.ts';

/**
 * The services of a thread that is only looked at: hooks read items as they always do, but run no tools, call no functions of
 * the host and record nothing. What they would warn of is told to `warn`.
 */
export function withoutEffects(services: Services, warn: (warning: ThreadWarning) => void): Services {
  const { journal, host, dispatcher, threadTools } = services;
  return {
    ...services,
    journal: {
      ...journal,
      record(_thread, type, payload) {
        // An event's payload is of its type.
        if (type === 'warning') warn(payload as ThreadWarning);
      },
    },
    host: {
      ...host,
      ask(_question, done) {
        done(failed(NOT_CARRIED_OUT));
        return NOTHING_RUNS;
      },
    },
    internalTools: new Map(),
    threadTools: { ...threadTools, granted: [] },
    dispatcher: {
      dispatch(action, context, done) {
        if (isReading(action)) return dispatcher.dispatch(action, context, done);
        done(failure({ type: null, item_id: asText(action['item_id']) || null }, NOT_CARRIED_OUT));
        return undefined;
      },
    },
  };
}

const NOT_CARRIED_OUT: Failure = { code: 'not_available', message: 'This is not carried out where nothing is sent' };
const NOTHING_RUNS: RunningTool = { abort: () => undefined };

/** Whether an action only looks at items: to execute a directive or knowledge is to read it. */
function isReading({ primary, item_type: kind, params, ...more }: GivenAction): boolean {
  if (primary === 'execute') return kind === 'directive' || kind === 'knowledge';
  const copies = 'destination' in more || (typeof params === 'object' && params !== null && 'destination' in params);
  return (primary === 'load' || primary === 'fetch' || primary === 'search') && !copies;
}
