import type { EventEmitter } from 'eventemitter3';
import type { Failure } from '../../core/errors.ts';
import type { ThreadEvent } from '../../core/events.ts';
import type { HostContext } from '../host-context.ts';
import { checkFunction, checkText } from './argument-types.ts';
import { harmless } from './harmless.ts';
import type { Problems } from './problems.ts';
import type { Runtime, RuntimeEvents } from '../runtime.ts';

/** What is listened to, beside what the runtime itself says. */
type Heard = Pick<HostContext, 'feed'> & { readonly problems: Problems };

/** Listeners of the runtime: workers send events only while somebody listens. */
export function createListening(emitter: EventEmitter<RuntimeEvents>, { feed, problems }: Heard): Runtime['on'] {
  let listeners = 0;
  let stopListening: (() => void) | undefined;
  // An event goes out under its own name, so its payload is the one that listeners of the name expect.
  const emit = emitter.emit.bind(emitter) as (type: ThreadEvent['event_type'], event: ThreadEvent) => boolean;
  const forward = (event: ThreadEvent): void => {
    emit(event.event_type, event);
    emitter.emit('event', event);
  };
  return (type, listener) => {
    checkText('The name of an event', type);
    checkFunction(`The listener of ${type}`, listener);
    // The emitter calls a listener with what its own name stands for.
    const guarded = harmless(listener as (argument: never) => unknown, (failure) => {
      // A listener of problems that throws at one would hear of nothing but itself.
      if (type !== 'problem') problems.tell({ ...failure, message: `A listener threw: ${failure.message}` });
    });
    // The argument is what the name stands for.
    if (type === 'problem') return problems.listen(guarded as (failure: Failure) => void);
    // TypeScript can't tell which name it is; `listener` was checked against it by the caller's types.
    emitter.on(type, guarded as never);
    const isThreads = type !== 'config';
    if (isThreads && listeners++ === 0) stopListening = feed.listenAll(forward);
    let on = true;
    return () => {
      if (!on) return;
      on = false;
      // As above.
      emitter.off(type, guarded as never);
      if (isThreads && --listeners === 0) stopListening?.();
    };
  };
}
