import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHandPort, createHandTicks } from '../../test/fixtures/hand-port.ts';
import { unpackOps } from '../../test/fixtures/unpack-ops.ts';
import { createStoreClient } from './store-client.ts';
import type { StoreOp, StoreReply, StoreResult } from './store.ts';
import type { StoreRequest } from './store-wire.ts';

describe('A store client', () => {
  test('posts the operations of one tick as one batch, in order', () => {
    const { client, ticks, requests } = open();
    client.submit(load(1), ignore);
    client.submit(load(2), ignore);
    expect(requests()).toEqual([]);
    ticks.end();
    client.submit(load(3), ignore);
    ticks.end();
    expect(requests()).toEqual([
      { batch: 0, ops: [load(1), load(2)] },
      { batch: 1, ops: [load(3)] },
    ]);
  });

  test('answers every operation with true when the reply names no exception', () => {
    const { client, ticks, reply } = open();
    const answers = submitAll(client, 3);
    ticks.end();
    reply({ batch: 0, results: [] });
    expect(answers).toEqual([
      [1, true],
      [2, true],
      [3, true],
    ]);
  });

  test('gives exceptions to the operations they belong to', () => {
    const { client, ticks, reply } = open();
    const answers = submitAll(client, 5);
    ticks.end();
    const refused = { type: 'refused', remaining: 7 } as const;
    const failed = { type: 'failed', failure: { code: 'store_failed', message: 'no' } } as const;
    reply({
      batch: 0,
      results: [
        [0, refused],
        [3, failed],
      ],
    });
    expect(answers).toEqual([
      [1, refused],
      [2, true],
      [3, true],
      [4, failed],
      [5, true],
    ]);
  });

  test('fails every operation of a batch whose transaction failed', () => {
    const { client, ticks, reply } = open();
    const answers = submitAll(client, 2);
    ticks.end();
    const failure = { code: 'store_failed', message: 'disk full' } as const;
    reply({ batch: 0, results: [[0, { type: 'refused', remaining: 1 }]], failure });
    expect(answers).toEqual([
      [1, { type: 'failed', failure }],
      [2, { type: 'failed', failure }],
    ]);
  });

  test('calls nobody before the answer, and everybody once', () => {
    const { client, ticks, reply } = open();
    const answers = submitAll(client, 2);
    ticks.endAll();
    expect(answers).toEqual([]);
    reply({ batch: 0, results: [] });
    reply({ batch: 0, results: [] });
    expect(answers).toHaveLength(2);
  });

  test('matches answers to their batches, even if they come in another order', () => {
    const { client, ticks, reply } = open();
    const answers: [number, StoreResult][] = [];
    client.submit(load(1), (result) => answers.push([1, result]));
    ticks.end();
    client.submit(load(2), (result) => answers.push([2, result]));
    ticks.end();
    const refused = { type: 'refused', remaining: 0 } as const;
    reply({ batch: 1, results: [[0, refused]] });
    reply({ batch: 0, results: [] });
    expect(answers).toEqual([
      [2, refused],
      [1, true],
    ]);
  });

  test('counts what is submitted and not answered', () => {
    const { client, ticks, reply } = open();
    expect(client.pending()).toBe(0);
    submitAll(client, 3);
    expect(client.pending()).toBe(3);
    ticks.end();
    expect(client.pending()).toBe(3);
    reply({ batch: 0, results: [] });
    expect(client.pending()).toBe(0);
  });

  test('does not wait for the end of the tick with a lot of event lines', () => {
    const { client, ticks, requests } = open();
    client.submit(step('x'.repeat(200 * 1024)), ignore);
    expect(requests()).toHaveLength(0);
    client.submit(step('x'.repeat(200 * 1024)), ignore);
    expect(requests()).toHaveLength(1);
    client.submit(load(3), ignore);
    ticks.endAll();
    expect(requests().map(({ batch, ops }) => [batch, ops.length])).toEqual([
      [0, 2],
      [1, 1],
    ]);
  });

  test('takes operations submitted by an answer into the next batch', () => {
    const { client, ticks, reply, requests } = open();
    client.submit(load(1), () => client.submit(load(2), ignore));
    ticks.end();
    reply({ batch: 0, results: [] });
    expect(client.pending()).toBe(1);
    ticks.end();
    expect(requests().at(-1)).toEqual({ batch: 1, ops: [load(2)] });
  });

  test('posts what is left before it closes', () => {
    const { client, port, requests } = open();
    client.submit(load(1), ignore);
    client.close();
    expect(requests()).toEqual([{ batch: 0, ops: [load(1)] }]);
    expect(port.isClosed).toBe(true);
  });

  test('answers in the order of submission and once each, whatever is posted and answered when', () => {
    const steps = fc.array(fc.constantFrom('submit', 'submit', 'tick', 'reply'));
    fc.assert(
      fc.property(steps, fc.array(fc.boolean()), (sequence, refusals) => {
        const { client, ticks, reply, requests } = open();
        const answered: [number, StoreResult][] = [];
        const expected: [number, StoreResult][] = [];
        let submitted = 0;
        let replied = 0;
        const answerNext = (): void => {
          const request = requests()[replied];
          if (!request) return;
          replied++;
          const results = request.ops.flatMap((op, index): [number, Exclude<StoreResult, true>][] => {
            const thread = 'thread' in op ? op.thread : 0;
            const isRefused = refusals[thread % Math.max(1, refusals.length)] ?? false;
            const result = { type: 'refused', remaining: thread } as const;
            expected.push([thread, isRefused ? result : true]);
            return isRefused ? [[index, result]] : [];
          });
          reply({ batch: request.batch, results });
        };
        for (const action of sequence) {
          if (action === 'submit') {
            const no = ++submitted;
            client.submit(load(no), (result) => answered.push([no, result]));
          } else if (action === 'tick') ticks.end();
          else answerNext();
        }
        ticks.endAll();
        while (replied < requests().length) answerNext();
        expect(answered).toEqual(expected);
        expect(answered.map(([no]) => no)).toEqual(Array.from({ length: submitted }, (_, index) => index + 1));
        expect(client.pending()).toBe(0);
      }),
    );
  });
});

function open() {
  const port = createHandPort();
  const ticks = createHandTicks();
  const client = createStoreClient({ port, schedule: ticks.schedule });
  return {
    port,
    ticks,
    client,
    // The client posts nothing else.
    requests: () => (port.posted as readonly StoreRequest[]).map(({ batch, ops }) => ({ batch, ops: unpackOps(ops) })),
    reply: (reply: StoreReply) => port.deliver(reply),
  };
}

function submitAll(client: ReturnType<typeof open>['client'], count: number): [number, StoreResult][] {
  const answers: [number, StoreResult][] = [];
  for (let no = 1; no <= count; no++) client.submit(load(no), (result) => answers.push([no, result]));
  return answers;
}

function load(thread: number): StoreOp {
  return { type: 'load', thread };
}

function step(lines: string): StoreOp {
  return { type: 'step', thread: 1, at: 0, lines, firstSequence: 1, lastSequence: 1 };
}

function ignore(): void {
  // Nobody waits for this answer.
}
