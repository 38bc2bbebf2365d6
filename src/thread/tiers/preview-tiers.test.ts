import { expect, test } from 'vitest';
import { createTiersBench } from '../../../test/fixtures/tiers-bench.ts';
import { toldTools } from '../plan/preview-tools.ts';
import { previewTiers } from './preview-tiers.ts';

const TOOL = { name: 'rye_execute', description: 'Runs an item', inputSchema: { type: 'object' } };

test('The system message is counted with the tools that a model is told of in it', async () => {
  using bench = await createTiersBench({ files: { 'src/one.ts': 'export const one = 1;\n' } });
  const { thread, services } = bench;
  const { plan } = thread;
  const systemOf = async (callsInText: boolean): Promise<number> => {
    const palette = { ...plan.palette, definitions: [TOOL] };
    thread.plan = { ...plan, palette, model: { ...plan.model, callsInText } };
    const tiers = await previewTiers(thread, services, { text: 'the task', media: undefined });
    return tiers?.messages[0]?.tokens ?? 0;
  };
  const plain = await systemOf(false);
  const told = await systemOf(true);
  const [section] = toldTools(thread.plan);
  expect(section?.text).toContain('# Tools');
  expect(Math.abs(told - plain - (section?.tokens ?? 0))).toBeLessThanOrEqual(1);
});
