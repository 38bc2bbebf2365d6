import type { ItemCache } from '../../items/item-cache.ts';
import { budgetOps } from './budget.ts';
import { controlResult } from './control-result.ts';
import { createEmitter } from './emitter.ts';
import { cancelChecker, classifier, costTracker, limitChecker } from './lookups.ts';
import { statePersister } from './state-persister.ts';
import { createInternalTool, type InternalCode, type InternalTool } from './internal-tool.ts';

const FOLDER = 'rye/agent/threads/internal/';

/** The internal tool whose result decides about the thread. */
export const CONTROL: string = `${FOLDER}control`;

/** The internal tools by item id. */
export type InternalTools = ReadonlyMap<string, InternalTool>;

/** Makes a worker's internal tools (S2 §5). @throws SkeinError if a file of the system space can't be used */
export function createInternalTools(items: Pick<ItemCache, 'tool'>): InternalTools {
  const codes: Readonly<Record<string, InternalCode>> = {
    control: ({ input }, done) => done({ ok: true, value: controlResult(input) }),
    emitter: createEmitter(),
    classifier,
    limit_checker: limitChecker,
    budget_ops: budgetOps,
    state_persister: statePersister,
    cancel_checker: cancelChecker,
    cost_tracker: costTracker,
  };
  return new Map(
    Object.entries(codes).map(([name, code]) => {
      const id = `${FOLDER}${name}`;
      return [id, createInternalTool(id, code, items)];
    }),
  );
}
