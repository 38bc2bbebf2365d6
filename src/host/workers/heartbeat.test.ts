import { expect, test } from 'vitest';
import { createHandClock } from '../../../test/conformance/hand-clock.ts';
import { BEAT, createVitals } from '../../core/vitals.ts';
import { createHeartbeat } from './heartbeat.ts';

test('a worker is found out once when it has not moved for so long, whoever else moves', () => {
  const { clock, watch, told } = open(2);
  const [still, lively] = [watch('still'), watch('lively')];
  still[BEAT] = 1;
  for (let beat = 0; beat < 20; beat++) {
    lively[BEAT] = beat;
    clock.advance(500);
  }
  expect(told).toEqual(['still']);
});

test('one that moves again in time is none', () => {
  const { clock, watch, told } = open(2);
  const vitals = watch('slow');
  for (let beat = 1; beat < 10; beat++) {
    vitals[BEAT] = beat;
    clock.advance(1500);
  }
  expect(told).toEqual([]);
});

test('one that has not come up yet is given ten times as long', () => {
  const { clock, watch, told } = open(2);
  watch('new');
  for (let second = 0; second < 15; second++) clock.advance(1000);
  expect(told).toEqual([]);
  for (let second = 0; second < 10; second++) clock.advance(1000);
  expect(told).toEqual(['new']);
});

test('nobody is found out with 0 seconds, nor after the end', () => {
  const never = open(0);
  never.watch('still')[BEAT] = 1;
  const over = open(2);
  over.watch('still')[BEAT] = 1;
  over.heartbeat.close();
  for (const { clock } of [never, over]) for (let step = 0; step < 50; step++) clock.advance(1000);
  expect([...never.told, ...over.told]).toEqual([]);
});

test.each([0, 60])(
  'a runtime that closes waits no longer than five seconds for one, also with %i seconds',
  (seconds) => {
    const { clock, heartbeat, watch, told } = open(seconds);
    const [still, lively] = [watch('still'), watch('lively')];
    still[BEAT] = 1;
    // The first look at it, as its configuration says.
    clock.advance(1_000);
    heartbeat.hurry();
    for (let second = 1; second <= 6; second++) {
      lively[BEAT] = second;
      clock.advance(1_000);
    }
    expect(told).toEqual(['still in a hurry']);
  },
);

function open(seconds: number) {
  const clock = createHandClock();
  const told: string[] = [];
  const heartbeat = createHeartbeat({ clock, seconds: () => seconds });
  const watch = (name: string) => {
    const vitals = createVitals();
    heartbeat.watch(vitals, ({ isHurried }) => told.push(isHurried ? `${name} in a hurry` : name));
    return vitals;
  };
  return { clock, told, heartbeat, watch };
}
