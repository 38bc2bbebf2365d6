import { expect, test } from 'vitest';
import { SkeinError } from '../../core/errors.ts';
import { createRegistrations } from './registrations.ts';

const INFO = {
  id: 'app/look',
  description: '',
  inputSchema: {},
  idempotent: true,
  isChecked: true,
  calledAs: 'app/look#0',
};

/** A worker that is told of tools, and answers when it is let. */
function worker() {
  const answer = Promise.withResolvers<undefined>();
  const told: string[] = [];
  const hear = (what: string): Promise<undefined> => {
    told.push(what);
    return answer.promise;
  };
  return {
    told,
    answer,
    control: {
      loadTools: (url: string) => hear(url),
      addHostTool: ({ id }: { readonly id: string }) => hear(id),
    },
  };
}

/** A registration with two workers, of which the second is lost meanwhile, and another one comes in its place. */
async function loseOne(register: (registrations: ReturnType<typeof createRegistrations>) => Promise<void>) {
  const [kept, lost, next] = [worker(), worker(), worker()];
  const controls = [kept.control, lost.control];
  const registered = register(createRegistrations(() => controls));
  controls.splice(1, 1, next.control);
  lost.answer.reject(new SkeinError('worker_lost', 'Worker 1 has ended'));
  for (const { answer } of [kept, next]) answer.resolve(undefined);
  await registered;
  return next.told;
}

test('A module is loaded in the worker that comes in place of a lost one', async () => {
  expect(await loseOne((registrations) => registrations.addModule('file:///tools.mjs'))).toEqual(['file:///tools.mjs']);
});

test('A function is made known to the worker that comes in place of a lost one', async () => {
  expect(await loseOne((registrations) => registrations.addHostTool(INFO))).toEqual(['app/look']);
});

test.each(['deadline_exceeded', 'runtime_closed', 'invalid_item'] as const)(
  'A worker that is there and says %s is heard',
  async (code) => {
    const { control, answer } = worker();
    const registrations = createRegistrations(() => [control]);
    const module = registrations.addModule('file:///tools.mjs');
    answer.reject(new SkeinError(code, 'no'));
    await expect(module).rejects.toMatchObject({ code });
    expect(registrations.all).toEqual([]);
  },
);

test('What was registered is told to later workers in this order: of two with one id the later one counts everywhere', async () => {
  const { control, answer } = worker();
  answer.resolve(undefined);
  const registrations = createRegistrations(() => [control]);
  await registrations.addHostTool(INFO);
  await registrations.addModule('file:///tools.mjs');
  await registrations.addHostTool({ ...INFO, id: 'app/other' });
  expect(registrations.all).toMatchObject([INFO, 'file:///tools.mjs', { id: 'app/other' }]);
});

test('Of what was registered again, later workers are told the last alone', async () => {
  const { control, answer } = worker();
  answer.resolve(undefined);
  const registrations = createRegistrations(() => [control]);
  const again = { ...INFO, calledAs: 'app/look#1' };
  for (const info of [INFO, again]) {
    await registrations.addHostTool(info);
    await registrations.addModule('file:///tools.mjs');
  }
  expect(registrations.all).toEqual([again, 'file:///tools.mjs']);
});
