import type { Config } from '../config/config.ts';
import type { EventType } from '../core/events.ts';
import { refuse } from '../tools/input-check.ts';
import { compileSchema } from '../tools/json-schema/compile-schema.ts';
import type { InternalCode } from './internal-tool.ts';

/** What a hook may emit: everything else is the runtime's own word, which history, money and replay rely on. */
const EMITTABLE = ['checkpoint_saved', 'warning', 'error_classified', 'cognition_reasoning'] as const;

type SchemaIssues = ReturnType<typeof compileSchema>;

/** What its file declares. */
type Input = {
  readonly event_type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly criticality?: 'critical' | 'droppable';
};

/** `internal/emitter` (S2 §5.2): records an event whose payload fits `payload_schema` of events.yaml. */
export function createEmitter({ eventTypes }: Config['events']): InternalCode {
  const checks = new Map(
    EMITTABLE.map((type): [string, SchemaIssues] => [type, compileSchema(eventTypes[type]?.payloadSchema ?? true)]),
  );
  return ({ thread, services, input }, done) => {
    // Checked against its file.
    const { event_type: type, payload, criticality } = input as Input;
    const check = checks.get(type);
    if (!check) {
      return done({ ok: false, failure: { code: 'hook_failed', message: `A hook may not emit "${type}"` } });
    }
    const emitted = !thread.ended;
    // Refused, and the embedder told, once the thread has ended: then it does not matter whether the payload fits.
    const issues = emitted ? check(payload) : [];
    if (issues.length > 0) return done(refuse(issues));
    // One of the names above, with a payload that fits what events.yaml says about it.
    services.journal.record(thread, type as EventType, payload);
    if (criticality === 'critical') services.journal.flushSoon(thread);
    done({ ok: true, value: { success: true, event_type: type, emitted } });
  };
}
