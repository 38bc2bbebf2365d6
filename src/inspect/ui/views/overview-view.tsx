import type { VNode } from 'preact';
import type { ProjectAnswer } from '../../api.ts';
import { asWords, formatCount, formatUsd } from '../model/format-values.ts';
import { routeHref } from '../model/route.ts';
import { useResource } from '../live/use-resource.ts';
import { CountsBar } from '../parts/counts-bar.tsx';
import { FailureNote } from '../parts/failure-note.tsx';
import { useDashboard, usePage } from './context.ts';

/** The project as a whole, while no thread is chosen. */
export function OverviewView(): VNode | null {
  const { api } = useDashboard();
  const known = usePage((state) => state.project);
  const version = usePage((state) => state.version);
  const latest = useResource<ProjectAnswer>({
    key: 'project',
    version,
    everyMs: 2_000,
    read: (signal) => api.get('project', { signal }),
  });
  const project = latest.value ?? known;
  if (!project) return <FailureNote of={latest} what="The project" />;
  const { runtime } = project;
  // What the live view tells is newer.
  const { totals, pending_approvals: pending } = known ?? project;
  return (
    <article class="overview">
      <h1>{project.name}</h1>
      <dl class="facts">
        <Fact name="Threads" value={formatCount(totals.threads)} />
        <Fact name="Turns" value={formatCount(totals.turns)} />
        <Fact name="Spent" value={formatUsd(totals.spend)} />
        {runtime && <Fact name="Running" value={formatCount(runtime.running)} />}
        {runtime && <Fact name="Waiting for a slot" value={formatCount(runtime.queued)} />}
      </dl>
      {totals.threads > 0 && <CountsBar counts={totals.counts} wide />}
      {pending > 0 && (
        <p class="callout">
          <a href={routeHref({ view: 'approvals' })}>
            {formatCount(pending)} {pending === 1 ? 'thread waits' : 'threads wait'} for a person
          </a>
        </p>
      )}
      {runtime ? <Workers workers={runtime.workers} /> : <NoRuntime />}
      <p class="quiet">Choose a thread to see its machine, transcript, prompt, budget, errors and timeline.</p>
    </article>
  );
}

function Fact({ name, value }: { readonly name: string; readonly value: string }): VNode {
  return (
    <div>
      <dt>{name}</dt>
      <dd class="number">{value}</dd>
    </div>
  );
}

function NoRuntime(): VNode {
  return <p class="callout">No runtime holds this project. It shows what is stored; nothing can be changed.</p>;
}

type Worker = NonNullable<ProjectAnswer['runtime']>['workers'][number];

function Workers({ workers }: { readonly workers: readonly Worker[] }): VNode {
  return (
    <section>
      <h2>Workers</h2>
      <table class="table">
        <thead>
          <tr>
            <th scope="col">Worker</th>
            <th scope="col" class="right">
              Threads
            </th>
            <th scope="col" class="right">
              Turns
            </th>
            <th scope="col" class="right">
              Spent
            </th>
            <th scope="col">States</th>
          </tr>
        </thead>
        <tbody>
          {workers.map((worker) => (
            <tr key={worker.number}>
              <th scope="row">{worker.number}</th>
              <td class="number right">{formatCount(worker.threads)}</td>
              <td class="number right">{formatCount(worker.turns)}</td>
              <td class="number right">{formatUsd(worker.spend)}</td>
              <td>{statesText(worker.states)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

function statesText(states: Worker['states']): string {
  return Object.entries(states)
    .toSorted(([, one], [, other]) => other - one)
    .map(([state, count]) => `${formatCount(count)} ${asWords(state.split('.').at(-1) ?? state)}`)
    .join(', ');
}
