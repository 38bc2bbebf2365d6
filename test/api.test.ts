import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importEntry, importSkein } from './fixtures/skein.ts';
import { PACKAGE_ROOT } from './fixtures/source-files.ts';

/** What each entry gives at run time. A change here is a change of the public API. */
const API: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  skein: {
    SkeinError: 'function',
    checkNodeVersion: 'function',
    connectProject: 'function',
    createRuntime: 'function',
    collectGarbage: 'function',
    describeFailure: 'function',
    doctor: 'function',
    previewPrompt: 'function',
    projectStatus: 'function',
    replay: 'function',
  },
  'skein/machines': {
    SUPERVISOR_ACTIONS: 'object',
    THREAD_ACTIONS: 'object',
    compileMachine: 'function',
    supervisorChart: 'object',
    supervisorMachine: 'object',
    threadChart: 'object',
    threadMachine: 'object',
  },
  'skein/testing': { defineScript: 'function', startLlmServer: 'function' },
  'skein/prompty': {
    InvokerError: 'function',
    ValueError: 'function',
    createJsonLinesTracer: 'function',
    createOpenTelemetryTracer: 'function',
    createPrompty: 'function',
    createRenderContext: 'function',
    loadPrompty: 'function',
    render: 'function',
    renderAsync: 'function',
    tracers: 'object',
  },
  'skein/assembly': {
    assembleMessages: 'function',
    assembleRequest: 'function',
    assembleTieredMessages: 'function',
    buildRefGraph: 'function',
    compactHistory: 'function',
    createCacheReport: 'function',
    createGatherer: 'function',
    createTierPolicy: 'function',
    fileBlock: 'function',
    fileTree: 'function',
    openSymbolIndex: 'function',
    reviewBlock: 'function',
    tierLayout: 'function',
    urlBlocks: 'function',
    FILES_ACTIVE_HEADER: 'string',
    FILES_L0_HEADER: 'string',
    FILES_L1_HEADER: 'string',
    FILES_L2_HEADER: 'string',
    FILES_L3_HEADER: 'string',
    FILE_TREE_HEADER: 'string',
    REPO_MAP_HEADER: 'string',
    REVIEW_CONTEXT_HEADER: 'string',
    TIER_SYMBOLS_HEADER: 'string',
    URL_CONTEXT_HEADER: 'string',
  },
};

describe('The public API', () => {
  test('has exactly the entries listed here', () => {
    const { exports } = JSON.parse(readFileSync(join(PACKAGE_ROOT, 'package.json'), 'utf8')) as {
      exports: Readonly<Record<string, unknown>>;
    };
    const entries = Object.keys(exports).filter((entry) => entry !== './package.json');
    expect(entries.map((entry) => entry.replace(/^\./, 'skein')).toSorted()).toEqual(Object.keys(API).toSorted());
  });

  test.each(Object.entries(API))('%s exports what is listed here', async (name, listed) => {
    const entry = await importEntry(name);
    const given = Object.entries(entry).map(([key, value]) => [key, typeof value]);
    expect(Object.fromEntries(given)).toEqual(listed);
  });

  test('skein/prompty refuses with the same error class as skein', async () => {
    const { SkeinError } = await importSkein();
    const { loadPrompty } = (await importEntry('skein/prompty')) as { loadPrompty: (file: string) => Promise<unknown> };
    const thrown = await caught(() => loadPrompty('nowhere.prompty'));
    expect(thrown).toBeInstanceOf(SkeinError);
    expect(thrown).toMatchObject({ name: 'SkeinError' });
  });
});

describe('defineScript', () => {
  test('returns a script that fits', async () => {
    const { defineScript } = (await importEntry('skein/testing')) as { defineScript: (script: unknown) => unknown };
    const script = { rules: [{ turn: 1, text: 'hello' }] };
    expect(defineScript(script)).toBe(script);
  });

  test('refuses one that does not, and says where', async () => {
    const { defineScript } = (await importEntry('skein/testing')) as { defineScript: (script: unknown) => unknown };
    const thrown = await caught(() => defineScript({ rules: [{ tool_calls: [{ input: {} }] }] }));
    expect(thrown).toMatchObject({ code: 'invalid_config', where: { path: 'rules[0].tool_calls[0].name' } });
  });
});

describe('The Node version', () => {
  test.each(['22.18.0', '22.19.3', '24.0.0', '100.1.0'])('%s is accepted', async (version) => {
    const { checkNodeVersion } = await importSkein();
    expect(checkNodeVersion(version)).toBeUndefined();
  });

  test.each(['20.19.5', '22.17.9', '22.2.0', '18.0.0', ''])('"%s" is refused', async (version) => {
    const { checkNodeVersion } = await importSkein();
    expect(await caught(() => checkNodeVersion(version))).toMatchObject({ code: 'node_version' });
  });
});

async function caught(call: () => unknown): Promise<unknown> {
  try {
    await call();
    return undefined;
  } catch (thrown) {
    return thrown;
  }
}
