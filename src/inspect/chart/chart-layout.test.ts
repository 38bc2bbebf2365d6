import { describe, expect, test } from 'vitest';
import { threadChart } from '../../../machines/thread.chart.ts';
import { readChart } from './chart-graph.ts';
import { layoutChart, type PlacedState } from './chart-layout.ts';

const graph = readChart(threadChart);
const picture = layoutChart(graph);

const overlaps = (a: PlacedState, b: PlacedState): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

describe('The picture of a chart', () => {
  test('has a place for every state, inside the picture', () => {
    expect(picture.states.map(({ id }) => id).toSorted()).toEqual(graph.states.map(({ id }) => id).toSorted());
    const outside = picture.states.filter(
      ({ x, y, width, height }) => x < 0 || y < 0 || x + width > picture.width || y + height > picture.height,
    );
    expect(outside).toEqual([]);
  });

  test('lets no two states of a level overlap', () => {
    const pairs = picture.states.flatMap((a, at) =>
      picture.states.slice(at + 1).filter((b) => a.parent === b.parent && overlaps(a, b)),
    );
    expect(pairs).toEqual([]);
  });

  test('has states inside the state they belong to', () => {
    const running = picture.states.find(({ id }) => id === 'running');
    const inside = picture.states.filter(({ parent }) => parent === 'running');
    expect(inside.length).toBeGreaterThan(20);
    expect(
      inside.every(
        (one) =>
          running &&
          one.x >= running.x &&
          one.y >= running.y &&
          one.x + one.width <= running.x + running.width &&
          one.y + one.height <= running.y + running.height,
      ),
    ).toBe(true);
  });

  test('draws an arrow across a border to the border, and remembers where it leads', () => {
    const done = picture.arrows.find(({ from, to }) => from === 'running' && to === 'completed');
    expect(done?.events).toEqual(['CONCLUDED', 'CHILDREN_ENDED']);
    expect(done?.ends).toContainEqual({ from: 'running.joining', to: 'completed' });
  });

  test('draws every way of the chart', () => {
    const drawn = new Set(picture.arrows.flatMap(({ ends }) => ends.map(({ from, to }) => `${from}>${to}`)));
    expect(graph.arrows.filter(({ from, to }) => !drawn.has(`${from}>${to}`))).toEqual([]);
  });
});
