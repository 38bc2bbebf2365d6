import type { SpanContext } from '@opentelemetry/api';
import { z } from 'zod';
import type { ThreadId, ThreadNo } from '../../core/ids.ts';
import type { StoreReader } from '../../core/store.ts';
import type { HostContext } from '../host-context.ts';
import { fromTraceparent } from './traceparent.ts';

/** What is known of a thread beside its events. */
export type Described = {
  readonly directive: string;
  readonly model: string;
  readonly parentId: ThreadId | undefined;
  /** What its span is below. */
  readonly above: SpanContext | undefined;
  /** The last span it had that is known of: children are stored with that of their parent. */
  readonly span: SpanContext | undefined;
};

/** Looks up a thread that another runtime has admitted; its spans are those of that one. */
export function describeStored(
  id: ThreadId,
  { reader, table }: Pick<HostContext, 'reader' | 'table'>,
): Described | undefined {
  const row = reader.thread(id);
  if (!row) return undefined;
  const [child] = reader.threads({ parent: row.thread, limit: 1 });
  return {
    directive: row.directive,
    model: row.model,
    parentId: table.byId(id)?.lineage.parentId,
    above: spanAbove(row.thread, reader),
    span: child && spanAbove(child.thread, reader),
  };
}

/** Whatever else may be there names no span. */
const specSchema = z.object({ traceparent: z.string().optional().catch(undefined) });

function spanAbove(thread: ThreadNo, reader: Pick<StoreReader, 'spec'>): SpanContext | undefined {
  return fromTraceparent(specSchema.parse(JSON.parse(reader.spec(thread) ?? '{}')).traceparent);
}
