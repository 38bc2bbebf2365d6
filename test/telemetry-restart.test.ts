import { context, trace, type SpanContext } from '@opentelemetry/api';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Runtime } from '../src/index.ts';
import { asyncContexts, collect, type Collected } from './fixtures/collected.ts';
import { NEVER, project, SPAWN, startOn, THREAD_TOOLS, until, type Part, type Project } from './fixtures/scene.ts';

const spawnOne = { tool_calls: [{ name: SPAWN, input: { directive_name: 'worker' } }] };
const lead: Part = { tools: THREAD_TOOLS, says: [spawnOne, { text: 'done' }] };
const FIRST: Readonly<Record<string, Part>> = { lead, worker: { says: [NEVER] } };
const quick: Part = { says: [{ text: 'done' }] };
const LATER: Readonly<Record<string, Part>> = { lead, worker: quick };

function startTelling(made: Project, parts: typeof FIRST, { tracerProvider, meterProvider }: Collected) {
  const restart = { resilience: { coordination: { on_restart: 'resume' } } };
  return startOn(made, parts, { config: restart, telemetry: { tracerProvider, meterProvider } });
}

/** A root whose child is in a call when its runtime ends. */
async function interrupted(
  made: Project,
  collected: Collected,
): Promise<{ readonly root: string; readonly child: string }> {
  const runtime = await startTelling(made, FIRST, collected);
  const root = await runtime.spawn('lead');
  const { payload } = await until(root, 'child_thread_started');
  await until(runtime.thread(payload.child_thread_id), 'thread_started');
  await runtime.close({ graceMs: 0 });
  return { root: root.id, child: payload.child_thread_id };
}

/** Ends when the thread has. */
async function ended(runtime: Runtime, id: string): Promise<void> {
  expect((await runtime.thread(id).result).status).toBe('completed');
}

function linksOf(collected: Collected, id: string): unknown[] {
  return collected.thread(id).links.map(({ context: to, attributes }) => [attributes?.['skein.link'], to.spanId]);
}

function above(
  collected: Collected,
  id: string,
): Pick<SpanContext, 'traceId'> & { readonly spanId: string | undefined } {
  const span = collected.thread(id);
  return { traceId: span.spanContext().traceId, spanId: span.parentSpanContext?.spanId };
}

describe('A thread that goes on in another runtime', () => {
  beforeAll(() => {
    context.setGlobalContextManager(asyncContexts());
  });
  afterAll(() => context.disable());

  test('is below the spans of its caller and its parent, and linked to the one before', async () => {
    using made = project(FIRST);
    const [before, after] = [collect(), collect()];
    const caller = before.tracerProvider.getTracer('app').startSpan('request');
    const { root, child } = await context.with(trace.setSpan(context.active(), caller), () =>
      interrupted(made, before),
    );
    await using runtime = await startTelling(made, LATER, after);
    await ended(runtime, root);
    const { traceId, spanId } = caller.spanContext();
    expect(above(after, root)).toEqual({ traceId, spanId });
    expect(above(after, child)).toEqual({ traceId, spanId: before.thread(root).spanContext().spanId });
    expect(linksOf(after, root)).toEqual([['resumes', before.thread(root).spanContext().spanId]]);
  });

  test('is linked to the span before if it had a child, without a caller', async () => {
    using made = project(FIRST);
    const [before, after] = [collect(), collect()];
    const { root, child } = await interrupted(made, before);
    await using runtime = await startTelling(made, LATER, after);
    await ended(runtime, root);
    const first = before.thread(root).spanContext();
    expect(above(after, root).spanId).toBeUndefined();
    expect(linksOf(after, root)).toEqual([['resumes', first.spanId]]);
    expect(above(after, child)).toEqual({ traceId: first.traceId, spanId: first.spanId });
  });

  test('that has taken over from another one is below the same span', async () => {
    const passes: Part = { tools: THREAD_TOOLS, says: [{ ...spawnOne, delay_ms: 300 }, NEVER] };
    using made = project({ passes, worker: quick });
    const [before, after] = [collect(), collect()];
    const caller = before.tracerProvider.getTracer('app').startSpan('request');
    const first = await startTelling(made, { passes, worker: quick }, before);
    const handle = await context.with(trace.setSpan(context.active(), caller), () => first.spawn('passes'));
    await until(handle, 'model_call_started');
    await first.orchestrator.handoffThread(handle.id);
    const { payload } = await until(handle, 'thread_continued');
    await until(first.thread(payload.successor), 'thread_started');
    await first.close({ graceMs: 0 });
    await using runtime = await startTelling(made, { passes: quick, worker: quick }, after);
    await ended(runtime, payload.successor);
    const { traceId, spanId } = caller.spanContext();
    expect(above(before, payload.successor)).toEqual({ traceId, spanId });
    expect(above(after, payload.successor)).toEqual({ traceId, spanId });
  });

  test.each([7, 'x'.repeat(100_000)])(
    'begins a trace of its own if what is stored names no span (%#)',
    async (traceparent) => {
      using made = project(FIRST);
      const [before, after] = [collect(), collect()];
      const { root, child } = await interrupted(made, before);
      const db = new Database(`${made.path}/.ai/threads/threads.db`);
      db.prepare(`UPDATE threads SET spec = json_set(spec, '$.traceparent', ?)`).run(traceparent);
      db.close();
      await using runtime = await startTelling(made, LATER, after);
      await ended(runtime, root);
      expect(linksOf(after, root)).toEqual([]);
      expect([above(after, root).spanId, above(after, child).spanId]).toEqual([
        undefined,
        after.thread(root).spanContext().spanId,
      ]);
    },
  );
});

test('Without telemetry nothing of spans is stored', async () => {
  using made = project(LATER);
  await using runtime = await startOn(made, LATER);
  const root = await runtime.spawn('lead');
  await root.result;
  const db = new Database(`${made.path}/.ai/threads/threads.db`, { readonly: true });
  const specs = db.prepare<[], string>('SELECT spec FROM threads').pluck().all();
  db.close();
  expect(specs).toHaveLength(2);
  expect(specs.filter((spec) => spec.includes('traceparent'))).toEqual([]);
});
