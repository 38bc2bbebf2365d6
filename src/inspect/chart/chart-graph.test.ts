import { describe, expect, test } from 'vitest';
import { threadChart } from '../../../machines/thread.chart.ts';
import { readChart } from './chart-graph.ts';

const graph = readChart(threadChart);
const arrow = (from: string, to: string) => graph.arrows.find((one) => one.from === from && one.to === to)?.events;

describe('The chart of a thread as a graph', () => {
  test('has every state, with what it is', () => {
    const byId = new Map(graph.states.map((state) => [state.id, state]));
    expect(byId.get('running')).toMatchObject({ parent: '', kind: 'compound' });
    expect(byId.get('created')).toMatchObject({ kind: 'atomic', isInitial: true });
    expect(byId.get('running.starting')).toMatchObject({ parent: 'running', name: 'starting', isInitial: true });
    expect(byId.get('completed')?.kind).toBe('final');
    expect(graph.states).toHaveLength(7 + Object.keys(threadChart.states.running.states).length + 1);
  });

  test.each([
    ['a sibling', 'created', 'running', ['START']],
    ['a sibling of a level below', 'running.reserving', 'running.calling', ['RESERVED']],
    ['one of several by guard', 'running.settling', 'running.afterStep', ['SETTLED']],
    ['a state by the id of the machine', 'running.concluding', 'completed', ['CONCLUDED']],
    ['a state inside a sibling', 'suspended', 'running.askingHooks', ['RESUME']],
    ['a state inside, from whichever it is in', 'running.*', 'running.ending', ['HOLD_END']],
    ['itself', 'running.waitingForChildren', 'running.waitingForChildren', ['ONLY_CHILDREN_LEFT']],
    ['the same state by two events', 'running.reserving', 'running.waitingForProvider', ['PROVIDER_CLOSED']],
  ])('leads to %s', (_, from, to, events) => {
    expect(arrow(from, to)).toEqual(events);
  });

  test('leaves out what leads nowhere and is no chart', () => {
    expect(readChart({ states: { a: { on: { X: 'gone', Y: { actions: 'z' } } } } }).arrows).toEqual([]);
    expect(readChart(null)).toEqual({ states: [], arrows: [] });
  });
});
