import * as z from 'zod';
import { compileCondition } from '../core/condition.ts';
import { SkeinError } from '../core/errors.ts';

/** A condition in a config file: kept as written (S2 §7.3), but refused here if it would not compile. */
export const conditionField: z.ZodUnknown = z.unknown().check((context) => {
  const problem = findProblem(context.value);
  if (problem === undefined) return;
  const path = problem.where?.path ? [problem.where.path] : [];
  context.issues.push({ code: 'custom', message: problem.message, path, input: context.value });
});

function findProblem(spec: unknown): SkeinError | undefined {
  try {
    compileCondition(spec, {});
    return undefined;
  } catch (error) {
    if (error instanceof SkeinError) return error;
    throw error;
  }
}
