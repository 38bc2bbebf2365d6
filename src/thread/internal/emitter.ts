import { isRuntimeEvent } from '../../core/runtime-events.ts';
import { refuseInput } from '../../core/input-issues.ts';
import type { ToolOutcome } from '../../core/tool.ts';
import type { EventPolicy } from '../services/event-policies.ts';
import { createEventThrottle } from '../hooks/event-throttle.ts';
import type { InternalCode } from './internal-tool.ts';

/** Of the runtime's own events, what a hook may emit too: history, money and replay rely on all others. */
const SHARED: ReadonlySet<string> = new Set(['checkpoint_saved', 'warning', 'error_classified', 'cognition_reasoning']);

/** What its file declares. */
type Input = {
  readonly event_type: string;
  readonly payload: Readonly<Record<string, unknown>>;
  readonly criticality?: 'critical' | 'droppable';
};

/**
 * `internal/emitter` (S2 §5.2): records an event of a type that `events.yaml` declares, with a payload that fits its
 * `payload_schema`. A droppable type with `throttle_seconds` is emitted once in that time, in each thread; what comes
 * sooner is dropped, and the answer says so: `emitted: false`.
 */
export function createEmitter(): InternalCode {
  const throttle = createEventThrottle();
  return ({ thread, services, input }, done) => {
    // Checked against its file.
    const { event_type: type, payload, criticality } = input as Input;
    const policy = services.eventPolicies.get(type);
    if (!policy || !mayEmit(type)) return done(refuseType(type, policy));
    const isHeldBack = (): boolean => {
      if (policy.criticality === 'critical' || criticality === 'critical') return false;
      return throttle.holdsBack(thread, type, { now: services.clock.stopwatch(), throttleMs: policy.throttleMs });
    };
    // Once the thread has ended it does not matter whether the payload fits: the journal refuses, and tells the embedder.
    const issues = thread.ended ? [] : services.payloadCheck(type, payload);
    if (issues.length > 0) return done(refuseInput(issues));
    const isOpen = !thread.ended;
    const emitted = isOpen && !isHeldBack();
    const mustStore = criticality === 'critical';
    if (emitted || !isOpen) services.journal.recordEmitted(thread, { type, payload, mustStore });
    if (emitted && mustStore) services.journal.flushSoon(thread);
    done({ ok: true, value: { success: true, event_type: type, emitted } });
  };
}

function mayEmit(type: string): boolean {
  return SHARED.has(type) || !isRuntimeEvent(type);
}

function refuseType(type: string, policy: EventPolicy | undefined): ToolOutcome {
  const why = policy ? 'is for the runtime alone' : 'is not declared in events.yaml';
  return { ok: false, failure: { code: 'hook_failed', message: `A hook may not emit "${type}": that type ${why}` } };
}
