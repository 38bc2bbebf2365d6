import { SpanStatusCode, type Tracer } from '@opentelemetry/api';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { expect, test } from 'vitest';
import { createOpenTelemetryTracer } from './opentelemetry-tracer.ts';

test('a tracer of the OpenTelemetry API is one, and its SDK is told of renderings and of failures', () => {
  const exporter = new InMemorySpanExporter();
  const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
  const given: Tracer = provider.getTracer('test');
  const tracer = createOpenTelemetryTracer(given);
  tracer.startSpan('render', { 'prompty.name': 'greet' }).end({ 'prompty.result': 'Hello' });
  tracer.startSpan('render', {}).error({ name: 'ValueError', message: 'Line 1: no end' });
  expect(exporter.getFinishedSpans().map(({ name, attributes, status }) => ({ name, attributes, status }))).toEqual([
    {
      name: 'render',
      attributes: { 'prompty.name': 'greet', 'prompty.result': 'Hello' },
      status: { code: SpanStatusCode.UNSET },
    },
    {
      name: 'render',
      attributes: { 'error.type': 'ValueError' },
      status: { code: SpanStatusCode.ERROR, message: 'Line 1: no end' },
    },
  ]);
});
