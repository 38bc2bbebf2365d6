// Prints the spans and metrics of a thread with two children. No keys: the model is a script.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConsoleMetricExporter, MeterProvider, PeriodicExportingMetricReader } from '@opentelemetry/sdk-metrics';
import { BasicTracerProvider, ConsoleSpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { createRuntime } from 'skein';

// Any exporter does: one for OTLP sends the same to a collector.
const tracerProvider = new BasicTracerProvider({
  spanProcessors: [new SimpleSpanProcessor(new ConsoleSpanExporter())],
});
const meterProvider = new MeterProvider({
  readers: [new PeriodicExportingMetricReader({ exporter: new ConsoleMetricExporter() })],
});

const project = await mkdtemp(join(tmpdir(), 'skein-telemetry-'));
const directive = (name) => `\`\`\`xml
<directive name="${name}" version="1.0.0">
<metadata><description>${name}</description><category>example</category>
<permissions><execute><tool>rye/agent/threads/*</tool><directive>*</directive></execute></permissions>
</metadata>
</directive>
\`\`\`

Do it.`;
await mkdir(join(project, '.ai/directives'), { recursive: true });
for (const name of ['lead', 'worker']) await writeFile(join(project, `.ai/directives/${name}.md`), directive(name));

const spawn = { name: 'rye_agent_threads_thread_directive', input: { directive_name: 'worker' } };
const script = {
  rules: [
    { directive: 'lead', turn: 1, tool_calls: [spawn, spawn] },
    { directive: '*', text: 'done' },
  ],
};

try {
  await using runtime = await createRuntime({
    project,
    userSpace: false,
    scripts: { main: script },
    config: { agent: { tiers: { general: { provider: 'scripted', model: 'main' } }, trust: { project: 'off' } } },
    telemetry: { tracerProvider, meterProvider },
  });
  const thread = await runtime.spawn('lead');
  await thread.result;
} finally {
  await tracerProvider.shutdown();
  await meterProvider.shutdown();
  await rm(project, { recursive: true });
}
