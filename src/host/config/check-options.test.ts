import { expect, test } from 'vitest';
import {
  collectGarbage,
  connectProject,
  createRuntime,
  doctor,
  previewPrompt,
  projectStatus,
  replay,
} from '../../index.ts';
import { checkTelemetryOptions } from '../telemetry/telemetry.ts';
import { checkRuntimeOptions } from './check-options.ts';

test.each<[string, readonly unknown[]]>([
  ['project', ['', 5, null, new URL('file:///tmp'), 'a\0b']],
  ['userSpace', [true, 5, null, 'a\0b']],
  ['record', ['', 5, null]],
  ['replay', ['', 5, null]],
  ['config', [null, [], 'x', new Map()]],
  ['env', [null, [], 'x']],
  ['scripts', [null, [], 'x', { main: () => 1 }]],
  ['watchConfig', ['no', null, 1]],
  ['controlSocket', ['false', null, 1]],
  ['telemetry', ['true', null, 1, []]],
  ['inspect', ['true', null, 1, []]],
  ['tools', ['file:///x.js', null, [5], {}]],
])('An option %s of another type is refused', async (name, given) => {
  for (const value of given) {
    const options = { [name]: value };
    expect(() => checkRuntimeOptions(options)).toThrow(new RegExp(`^${name} is `, 'v'));
    await expect(createRuntime(options)).rejects.toMatchObject({ name: 'SkeinError', code: 'invalid_argument' });
  }
});

test('A variable of the environment that is no text is named, and its value is not told', () => {
  const env = { KEY: 12_345 } as never;
  expect(() => checkRuntimeOptions({ env })).toThrow(/^env\.KEY is a text, not something else$/v);
});

test('Options of the right type are taken, undefined among them', () => {
  const url = new URL('file:///tools.js');
  const given = {
    project: '.',
    userSpace: false as const,
    record: 'a',
    tools: ['x', url],
    scripts: { main: { rules: [] } },
  };
  expect(() => checkRuntimeOptions({ ...given, env: process.env, telemetry: true, inspect: {} })).not.toThrow();
  const names = ['project', 'userSpace', 'record', 'config', 'env', 'scripts', 'watchConfig', 'tools', 'telemetry'];
  expect(() => checkRuntimeOptions(Object.fromEntries(names.map((name) => [name, undefined])))).not.toThrow();
});

test.each<[string, (project: never) => Promise<unknown>]>([
  ['connectProject', (project) => connectProject({ project })],
  ['doctor', (project) => doctor({ project })],
  ['projectStatus', (project) => projectStatus({ project })],
  ['collectGarbage', (project) => collectGarbage({ project })],
  ['previewPrompt', (project) => previewPrompt('x', {}, { project })],
  ['replay', (project) => replay(project, 'thread-1')],
  ['replay of a thread that is none', (id) => replay('.', id)],
])('A project that is none is refused by %s', async (name, call) => {
  for (const given of [5, null, ...(name.endsWith('none') ? [] : [''])]) {
    const refused = { name: 'SkeinError', code: 'invalid_argument' };
    await expect(call(given as never)).rejects.toMatchObject(refused);
  }
});

test.each<[string, (onProblem: never) => Promise<unknown>]>([
  ['collectGarbage', (onProblem) => collectGarbage({ project: '/none', onProblem })],
  ['previewPrompt', (onProblem) => previewPrompt('x', {}, { project: '/none', onProblem })],
])('A listener of problems that is none is refused by %s', async (name, call) => {
  const message = `onProblem of ${name} is a function, not 5`;
  await expect(call(5 as never)).rejects.toMatchObject({ code: 'invalid_argument', message });
});

test('A doctor who is told neither to repair nor not to changes nothing', async () => {
  const refused = { code: 'invalid_argument', message: 'repair is true or false, not a string' };
  await expect(doctor({ project: '/none', repair: 'no' as never })).rejects.toMatchObject(refused);
});

test.each([0, 1.5, 257, 999_999, '4'])('So many workers as %j are refused before any starts', async (workers) => {
  const message = expect.stringMatching(/^workers is a whole number from 1 to 256, not /v);
  await expect(createRuntime({ workers: workers as never })).rejects.toMatchObject({
    code: 'invalid_argument',
    message,
  });
});

test('Options that are a list are refused', async () => {
  await expect(createRuntime([] as never)).rejects.toMatchObject({ code: 'invalid_argument' });
});

test.each<[string, unknown]>([
  ['content', 'false'],
  ['tracerProvider', {}],
  ['tracerProvider', null],
  ['meterProvider', {}],
])('An option %s of telemetry of another type is refused', (name, value) => {
  expect(() => checkTelemetryOptions({ [name]: value })).toThrow(`telemetry.${name}`);
});
