import type { VNode } from 'preact';
import { asWords } from '../model/format-values.ts';
import { LINE, type ChartPicture, type PlacedArrow, type PlacedState } from '../../chart/chart-layout.ts';
import { curveThrough } from '../../chart/curve.ts';
import { wasTaken, type TakenPath } from './taken-path.ts';

/** A chart with the current state lit and what was visited marked. */
export function ChartDrawing(props: {
  readonly picture: ChartPicture;
  readonly current: string;
  readonly path: TakenPath;
  /** What a state is for whoever can't see the picture. */
  readonly label: string;
}): VNode {
  const { picture, current, path } = props;
  // Taken ways are drawn last, over the others.
  const arrows = picture.arrows.map((arrow) => ({ arrow, taken: wasTaken(path, arrow.ends) }));
  const ordered = arrows.toSorted((one, other) => Number(one.taken) - Number(other.taken));
  const boxes = picture.states.filter(({ kind }) => kind === 'compound');
  const leaves = picture.states.filter(({ kind }) => kind !== 'compound');
  return (
    <svg
      class="chart"
      role="img"
      aria-label={props.label}
      viewBox={`0 0 ${picture.width} ${picture.height}`}
      width={picture.width}
      height={picture.height}
    >
      <defs>
        <ArrowHead id="head" className="chart-head" />
        <ArrowHead id="head-taken" className="chart-head chart-head-taken" />
      </defs>
      {boxes.map((state) => (
        <Compound key={state.id} state={state} isCurrent={current.startsWith(`${state.id}.`)} />
      ))}
      {ordered.map(({ arrow, taken }) => (
        <Arrow key={`${arrow.from}>${arrow.to}`} arrow={arrow} taken={taken} />
      ))}
      {leaves.map((state) => (
        <State key={state.id} state={state} isCurrent={state.id === current} visits={path.visits.get(state.id) ?? 0} />
      ))}
      {ordered.map(({ arrow, taken }) => taken && <ArrowLabel key={`${arrow.from}>${arrow.to}`} arrow={arrow} />)}
    </svg>
  );
}

function ArrowHead({ id, className }: { readonly id: string; readonly className: string }): VNode {
  return (
    <marker id={id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto-start-reverse">
      <path d="M0 0.8 8 4 0 7.2z" class={className} />
    </marker>
  );
}

function Compound({ state, isCurrent }: { readonly state: PlacedState; readonly isCurrent: boolean }): VNode {
  const { x, y, width, height, name } = state;
  return (
    <g class={isCurrent ? 'chart-box chart-box-current' : 'chart-box'}>
      <rect x={x} y={y} width={width} height={height} rx="10" />
      <text x={x + 12} y={y + 17}>
        {asWords(name)}
      </text>
    </g>
  );
}

function Arrow({ arrow, taken }: { readonly arrow: PlacedArrow; readonly taken: boolean }): VNode {
  const line = curveThrough(arrow.points);
  return (
    <g class={taken ? 'chart-arrow chart-arrow-taken' : 'chart-arrow'}>
      <path d={line} marker-end={`url(#${taken ? 'head-taken' : 'head'})`} />
      <path d={line} class="chart-reach">
        <title>{arrow.events.map(eventWords).join(', ')}</title>
      </path>
    </g>
  );
}

/** What leads along a way; of ways that were not taken it shows under the pointer. */
function ArrowLabel({ arrow: { events, label } }: { readonly arrow: PlacedArrow }): VNode {
  const top = label.y - ((events.length - 1) * LINE.label) / 2;
  return (
    <g class="chart-label">
      {events.map((event, at) => (
        <text key={event} x={label.x} y={top + at * LINE.label + 3} text-anchor="middle">
          {eventWords(event)}
        </text>
      ))}
    </g>
  );
}

function eventWords(event: string): string {
  return event.toLowerCase().replaceAll('_', ' ');
}

type StateProps = { readonly state: PlacedState; readonly isCurrent: boolean; readonly visits: number };

function State({ state, isCurrent, visits }: StateProps): VNode {
  const { x, y, width, height, name, kind, isInitial, description } = state;
  const classes = ['chart-state', `chart-${kind}`, visits > 0 && 'chart-visited', isCurrent && 'chart-current'];
  return (
    <g class={classes.filter(Boolean).join(' ')}>
      {description !== undefined && <title>{description}</title>}
      <rect x={x} y={y} width={width} height={height} rx={kind === 'any' ? height / 2 : 6} />
      {kind === 'final' && <rect x={x + 2.5} y={y + 2.5} width={width - 5} height={height - 5} rx="4" />}
      {isInitial && <circle cx={x} cy={y + height / 2} r="3.5" class="chart-initial" />}
      <text x={x + width / 2} y={y + height / 2 + 4} text-anchor="middle">
        {asWords(name)}
      </text>
      {visits > 1 && (
        <g class="chart-visits">
          <rect x={x + width - 10} y={y - 8} width={String(visits).length * 6.2 + 9} height="15" rx="7.5" />
          <text x={x + width - 5.5} y={y + 3}>
            {visits}
          </text>
        </g>
      )}
    </g>
  );
}
