import { z } from 'zod';
import { SkeinError } from '../../core/errors.ts';
import { OPERATION_BOUNDS } from '../../core/operation-bounds.ts';
import { threadStatus } from '../../core/operations.ts';
import { APPROVAL_STATUSES } from '../../core/store-approvals.ts';
import { faultLine } from '../../core/zod-fault.ts';
import type { CancelRequest, DenyRequest, ForkRequest, GrantRequest, ResumeRequest, SuspendRequest } from '../api.ts';

const id = z.string().min(1).max(OPERATION_BOUNDS.id);
const message = z.string().max(OPERATION_BOUNDS.message).exactOptional();
const amount = z.number().positive().exactOptional();
const count = z.int().min(1).exactOptional();

/** Of a query, a list with commas. */
const names = z
  .string()
  .max(2_000)
  .transform((text) => text.split(',').filter(Boolean))
  .optional();
const whole = (least: number, most: number) =>
  z
    .string()
    .regex(/^\d{1,15}$/)
    .transform(Number)
    .pipe(z.int().min(least).max(most));
/** As `toPlace` writes it. */
const place = z
  .string()
  .regex(/^\d{1,15}\.\d{1,15}\.\d{1,15}$/)
  .transform((text) => {
    const [log = 0, thread = 0, moves = 0] = text.split('.').map(Number);
    return { log, thread, moves };
  });
const limit = (usual: number, most: number) => whole(1, most).default(usual);

/** What addresses take behind the question mark. */
export const QUERIES = {
  none: z.strictObject({}),
  level: z.strictObject({
    parent: id.optional(),
    limit: limit(100, 500),
    after: id.optional(),
    status: names.pipe(z.array(threadStatus).min(1).optional()),
  }),
  events: z.strictObject({
    before: whole(0, Number.MAX_SAFE_INTEGER).optional(),
    after: whole(0, Number.MAX_SAFE_INTEGER).optional(),
    limit: limit(100, 500),
    types: names,
  }),
  failures: z.strictObject({ before: whole(0, Number.MAX_SAFE_INTEGER).optional() }),
  approvals: z.strictObject({
    status: z.enum([...APPROVAL_STATUSES, 'all']).default('pending'),
    limit: limit(100, 1_000),
  }),
  search: z.strictObject({
    query: z.string().min(1).max(OPERATION_BOUNDS.query),
    cursor: z.string().max(40).optional(),
    limit: limit(20, 100),
    under: id.optional(),
  }),
  timeline: z.strictObject({ root: id, limit: limit(200, 500) }),
  live: z.strictObject({
    level: z.array(id).max(50).default([]),
    thread: id.optional(),
    after: whole(0, Number.MAX_SAFE_INTEGER).optional(),
    from: place.optional(),
  }),
} as const;

/** What changes take as their bodies. */
export const BODIES = {
  cancel: z.strictObject({ tree: z.boolean().exactOptional() }) satisfies z.ZodType<CancelRequest>,
  suspend: z.strictObject({}) satisfies z.ZodType<SuspendRequest>,
  resume: z.strictObject({
    message,
    limits: z
      .strictObject({
        turns: amount,
        tokens: amount,
        spend: amount,
        spawns: z.int().min(0).exactOptional(),
        duration_seconds: amount,
      })
      .exactOptional(),
  }) satisfies z.ZodType<ResumeRequest>,
  fork: z.strictObject({
    at: z.int().min(0),
    inputs: z.record(z.string(), z.unknown()).exactOptional(),
  }) satisfies z.ZodType<ForkRequest>,
  grant: z.strictObject({
    limits: z.strictObject({ spend: amount, turns: count, tokens: count, duration_seconds: amount }).exactOptional(),
    message,
  }) satisfies z.ZodType<GrantRequest>,
  deny: z.strictObject({ message }) satisfies z.ZodType<DenyRequest>,
} as const;

/** Reads what was given. @throws SkeinError `invalid_argument` */
export function readGiven<Schema extends z.ZodType>(schema: Schema, given: unknown): z.output<Schema> {
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new SkeinError('invalid_argument', faultLine(parsed.error));
}
