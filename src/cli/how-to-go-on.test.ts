import { expect, test } from 'vitest';
import { project } from '../../test/fixtures/scene.ts';
import { howToGoOn } from './how-to-go-on.ts';

test('Where the project can no longer be read, that is said, and nothing else fails with it', async () => {
  using made = project();
  made.write('.ai/config/agent.yaml', 'providers: 7\n');
  const advice = await howToGoOn(
    'thread-1',
    { project: made.path },
    { env: { SKEIN_USER_SPACE: made.path }, cwd: made.path },
  );
  expect(advice).toMatch(/^Whether something below it is suspended can't be read: .*agent\.yaml/);
});
