import { SkeinError, toFailure } from '../../core/errors.ts';
import { packSpec, type SplitSpec } from '../../core/packed-spec.ts';
import type { WorkerCommand } from '../../core/protocol.ts';
import { failed, ok, type Result } from '../../core/result.ts';
import type { Hosting } from '../hosting.ts';
import { prepareChild } from './prepare-child.ts';
import { prepareSpec } from './prepare-spec.ts';

/** Says what a thread would be that the host is to admit; below a parent that is on its way in, once that is there. */
export function prepareForHost(command: Extract<WorkerCommand, { type: 'prepare' }>, hosting: Hosting): void {
  const { services } = hosting.versions.latest();
  const { ref, request } = command;
  const arrival = request.parent === undefined ? undefined : hosting.arriving.get(request.parent);
  if (arrival) return void arrival.missed.push(command);
  const answer = (prepared: Result<SplitSpec>): void => {
    if (prepared.ok) services.report({ type: 'prepared', ref, spec: packSpec(prepared.value) });
    else services.report({ type: 'refused', ref, failure: prepared.failure });
  };
  try {
    if (request.parent === undefined) return answer(ok(prepareSpec(request, services)));
    const parent = hosting.entries.get(request.parent);
    if (!parent) throw new SkeinError('thread_ended', 'The parent is not running any more');
    prepareChild({ thread: parent.thread, services: parent.version.services }, request, answer);
  } catch (thrown) {
    answer(failed(toFailure(thrown)));
  }
}
