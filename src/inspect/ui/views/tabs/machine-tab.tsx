import type { VNode } from 'preact';
import { useEffect, useMemo, useRef } from 'preact/hooks';
import type { MachinesAnswer, PathAnswer, PathStep, ThreadAnswer } from '../../../api.ts';
import { useResource } from '../../live/use-resource.ts';
import { readChart } from '../../../chart/chart-graph.ts';
import { ChartDrawing } from '../../machine/chart-drawing.tsx';
import { layoutChart } from '../../../chart/chart-layout.ts';
import { takenPath } from '../../machine/taken-path.ts';
import { asWords, formatDuration, formatTime } from '../../model/format-values.ts';
import { centreIn } from '../../parts/centre-in.ts';
import { FailureNote } from '../../parts/failure-note.tsx';
import { useNow } from '../../parts/use-now.ts';
import { useDashboard, usePage } from '../context.ts';

/** The machine of a thread: where it is, and the way it came. */
export function MachineTab({ id, machine }: { readonly id: string; readonly machine: ThreadAnswer['machine'] }): VNode {
  const { api } = useDashboard();
  const version = usePage((state) => state.threadVersion);
  const charts = useResource<MachinesAnswer>({
    key: 'machines',
    version,
    isFinal: () => true,
    read: (signal) => api.get('machines', { signal }),
  });
  const path = useResource<PathAnswer>({
    key: id,
    version,
    everyMs: 500,
    read: (signal) => api.get(`threads/${encodeURIComponent(id)}/path`, { signal }),
  });
  const picture = useMemo(() => charts.value && layoutChart(readChart(charts.value.thread)), [charts.value]);
  const taken = useMemo(() => takenPath(path.value?.steps ?? []), [path.value]);
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => centreIn(frame.current, '.chart-current'), [picture, machine.state]);
  return (
    <section class="machine">
      <div ref={frame} class="machine-picture" tabIndex={0} role="group" aria-label="Picture of the machine">
        <FailureNote of={charts} what="The machine" />
        {picture && (
          <ChartDrawing
            picture={picture}
            current={machine.state}
            path={taken}
            label={`State machine; the thread is in ${asWords(machine.state)}`}
          />
        )}
      </div>
      <div class="machine-path">
        <h2>Path</h2>
        <p class="quiet">
          Now <strong>{asWords(machine.state)}</strong>
          {machine.as_of === 'worker' ? ', as its worker says' : ', as far as its log tells'}
        </p>
        <FailureNote of={path} what="The path" />
        {path.value && <Steps steps={path.value.steps} cut={path.value.cut} />}
      </div>
    </section>
  );
}

/** The list has so many, since a thread with a thousand turns has thousands. */
const MOST_STEPS = 200;

function Steps({ steps, cut }: { readonly steps: readonly PathStep[]; readonly cut: boolean }): VNode {
  const now = useNow(60_000);
  const shown = steps.slice(-MOST_STEPS).toReversed();
  return (
    <ol class="steps" reversed>
      {shown.map(({ state, at_ms: at, sequence }, index) => {
        const next = shown[index - 1]?.at_ms;
        return (
          <li key={`${sequence} ${state}`}>
            <span class="number quiet">{formatTime(at, now)}</span>
            <span>{asWords(state.split('.').at(-1) ?? state)}</span>
            <span class="number quiet right">{next === undefined ? '' : formatDuration(next - at)}</span>
          </li>
        );
      })}
      {(cut || shown.length < steps.length) && <li class="quiet">Earlier ones are left out.</li>}
    </ol>
  );
}
