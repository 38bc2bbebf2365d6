import * as z from 'zod';
import { conditionFault } from '../core/condition.ts';

/** A condition in a config file: kept as written (S2 §7.3), but refused here if it would not compile. */
export const conditionField: z.ZodUnknown = z.unknown().check((context) => {
  const problem = conditionFault(context.value);
  if (problem === undefined) return;
  const path = problem.where?.path ? [problem.where.path] : [];
  context.issues.push({ code: 'custom', message: problem.message, path, input: context.value });
});
