import { z } from 'zod';
import { SkeinError } from '../../core/errors.ts';
import { threadStatus } from '../../core/operations.ts';
import { faultLine } from '../../core/zod-fault.ts';
import { checkOptionNames } from './option-names.ts';
import type { ListFilter } from '../runtime.ts';

const NAMES: Readonly<Record<keyof ListFilter, true>> = { status: true, parent: true, directive: true, limit: true };

/** Names are seen to before; an id or a directive that there is not has no threads, and is no mistake. */
const schema = z.object({
  status: z.array(threadStatus).optional(),
  parent: z.string().optional(),
  directive: z.string().optional(),
  limit: z.int().min(0).optional(),
});

/** Callers without types may pass anything. @throws SkeinError `invalid_argument` with what is wrong */
export function checkListFilter(filter: ListFilter): void {
  checkOptionNames('list', filter, NAMES);
  const parsed = schema.safeParse(filter);
  if (parsed.success) return;
  throw new SkeinError('invalid_argument', `list: ${faultLine(parsed.error)}`);
}
