import { escapeMarkup } from '../core/escape-markup.ts';
import type { ChartGraph } from '../inspect/chart/chart-graph.ts';
import { layoutChart, LINE, type PlacedArrow, type PlacedState } from '../inspect/chart/chart-layout.ts';
import { curveThrough } from '../inspect/chart/curve.ts';

/** A chart as an SVG document, in light and dark, with the events beside their arrows, and in a state those it handles itself. */
export function chartToSvg(graph: ChartGraph, title: string): string {
  const { width, height, states, arrows } = layoutChart(graph, { labelRoom: 1, withStays: true });
  const boxes = states.filter(({ kind }) => kind === 'compound');
  const leaves = states.filter(({ kind }) => kind !== 'compound');
  const size = `viewBox="0 0 ${px(width)} ${px(height)}" width="${px(width)}" height="${px(height)}"`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img">`,
    `<title>${escapeMarkup(title)}</title>`,
    `<style>${STYLE}</style>`,
    '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0 .8 8 4 0 7.2z"/></marker>',
    `<rect class="page" width="${px(width)}" height="${px(height)}"/>`,
    ...boxes.map(box),
    ...arrows.map(({ points }) => `<path class="way" d="${curveThrough(points)}"/>`),
    ...leaves.map(leaf),
    ...arrows.flatMap(labels),
    '</svg>\n',
  ].join('\n');
}

function box(state: PlacedState): string {
  const { name, x, y } = state;
  const title = `<text x="${px(x + 12)}" y="${px(y + 17)}">${words(name)}</text>`;
  return `${rect(state, 10)}${title}${stayLines(state, { x: x + 12, y: y + LINE.title, anchor: 'start' })}`;
}

function leaf(state: PlacedState): string {
  const { x, y, width, height, kind, isInitial, description = '' } = state;
  const middle = y + LINE.state / 2;
  return [
    '<g>',
    description === '' ? '' : `<title>${escapeMarkup(description)}</title>`,
    rect(state, kind === 'any' ? height / 2 : 6),
    kind === 'final' ? rect({ ...state, x: x + 2.5, y: y + 2.5, width: width - 5, height: height - 5 }, 4) : '',
    isInitial ? `<circle cx="${px(x)}" cy="${px(middle)}" r="3.5"/>` : '',
    `<text x="${px(x + width / 2)}" y="${px(middle + 4)}" text-anchor="middle">${words(state.name)}</text>`,
    stayLines(state, { x: x + width / 2, y: y + LINE.state - 3, anchor: 'middle' }),
    '</g>',
  ].join('');
}

type Beginning = { readonly x: number; readonly y: number; readonly anchor: 'start' | 'middle' };

function stayLines({ stays }: PlacedState, { x, y, anchor }: Beginning): string {
  const lines = stays.map((event, at) => {
    return `<text class="stay" x="${px(x)}" y="${px(y + at * LINE.label + 7)}" text-anchor="${anchor}">${words(event)}</text>`;
  });
  return lines.join('');
}

function rect({ x, y, width, height, kind }: PlacedState, round: number): string {
  return `<rect class="${kind}" x="${px(x)}" y="${px(y)}" width="${px(width)}" height="${px(height)}" rx="${px(round)}"/>`;
}

function labels({ events, label }: PlacedArrow): readonly string[] {
  const top = label.y - ((events.length - 1) * LINE.label) / 2 + 3;
  return events.map((event, at) => {
    return `<text class="event" x="${px(label.x)}" y="${px(top + at * LINE.label)}" text-anchor="middle">${words(event)}</text>`;
  });
}

/** `running`, `waiting for children`, `step over`. */
function words(name: string): string {
  return escapeMarkup(
    name
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .replaceAll('_', ' ')
      .toLowerCase(),
  );
}

function px(length: number): string {
  return String(Math.round(length * 10) / 10);
}

const STYLE = `
  svg { color-scheme: light dark; font: 11.5px system-ui, 'Segoe UI', Arial, sans-serif }
  .page { fill: light-dark(#fefdfb, #1a1b1e) }
  rect { fill: light-dark(#fff, #222428); stroke: light-dark(#8b877d, #6f737b); stroke-width: .8 }
  .compound { fill: light-dark(#f7f6f3, #141517) }
  .any { fill: none; stroke-dasharray: 3 3 }
  text { fill: light-dark(#1e1d1a, #e9e7e2) }
  .event { fill: light-dark(#1f5d8f, #82bdee); font-size: 9.5px; paint-order: stroke; stroke: light-dark(#f7f6f3, #141517); stroke-width: 3px }
  .stay { fill: light-dark(#5e5b54, #a5a9b1); font-size: 9.5px }
  .way { fill: none; stroke: light-dark(#8b877d, #6f737b); stroke-width: .8; marker-end: url(#head) }
  marker path, circle { fill: light-dark(#625e55, #a3a19b) }
`;
