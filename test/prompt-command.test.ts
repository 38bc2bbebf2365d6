import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import type { Finished } from '../src/cli/fixtures/carry-out.ts';
import { project, scene, NEVER, type Project } from './fixtures/scene.ts';
import { skeinHere } from './fixtures/skein-command.ts';

const GREET = `\`\`\`xml
<directive name="greet" version="1.0.0" extends="rye/agent/core/base_review">
  <metadata><description>Greets</description><category>t</category>
    <context><before>k/tone</before></context></metadata>
  <inputs><input name="who" required="true">Whom</input></inputs>
</directive>
\`\`\`

Greet {input:who}.
`;

function greeting(): Project {
  const made = project();
  made.write('.ai/directives/greet.md', GREET);
  made.write('.ai/knowledge/k/tone.md', '---\nname: tone\n---\nFriendly \u001b[31m.');
  return made;
}

/** Runs the command without any key in its environment. */
function skein(cwd: string, ...args: readonly string[]): Promise<Finished> {
  return skeinHere(args, { cwd, env: { PATH: process.env['PATH'], SKEIN_USER_SPACE: join(cwd, 'nobody') } });
}

const part = z.looseObject({ kind: z.string(), source: z.string(), tokens: z.int().positive(), text: z.string() });
const message = z.looseObject({ role: z.string(), text: z.string(), tokens: z.int(), parts: z.array(part) });
const shape = z.looseObject({
  extends: z.array(z.string()),
  model: z.string(),
  messages: z.array(message),
  tools: z.array(z.looseObject({ name: z.string(), item_id: z.string(), _primary: z.string(), tokens: z.int() })),
  tokens: z.object({ system: z.int(), message: z.int(), tools: z.int(), total: z.int() }),
  notes: z.array(z.string()).length(1),
  warnings: z.array(z.looseObject({ code: z.string() })),
});

describe('skein prompt', () => {
  test('prints messages and tools as JSON, with the source and the tokens of each part; needs no key, leaves nothing', async () => {
    using made = greeting();
    const { code, stdout, stderr } = await skein(made.path, 'prompt', 'greet', '--input', 'who=Ada', '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    const shown = shape.parse(JSON.parse(stdout));
    expect(shown).toMatchObject({ extends: ['rye/agent/core/base_review'], model: 'anthropic:claude-sonnet-5-5' });
    const [system, user] = shown.messages;
    expect(shown.messages.map(({ role }) => role)).toEqual(['system', 'user']);
    expect(system?.parts.map(({ source }) => source)).toEqual(['rye/agent/core/Identity', 'rye/agent/core/Behavior']);
    expect(user?.parts.slice(-2)).toMatchObject([
      { kind: 'knowledge', source: 'k/tone', item_id: 'k/tone', space: 'project', declared_by: 'greet' },
      { kind: 'directive', source: 'greet', text: expect.stringContaining('Greet Ada.') },
    ]);
    expect(user?.text).toBe(user?.parts.map(({ text }) => text).join('\n\n'));
    expect(shown.tools).toContainEqual(
      expect.objectContaining({ name: 'rye_fetch', item_id: 'rye/fetch', _primary: 'fetch' }),
    );
    const { system: first, message: second, tools, total } = shown.tokens;
    expect([first, second]).toEqual([system?.tokens, user?.tokens]);
    expect(total).toBe(first + second + tools);
    expect(readdirSync(join(made.path, '.ai')).toSorted()).toEqual(['directives', 'knowledge']);
  });

  test('prints the same for a person, made harmless for the terminal', async () => {
    using made = greeting();
    const { code, stdout } = await skein(made.path, 'prompt', 'greet', '--input', 'who=Ada');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^rye\/agent\/core\/base_review > greet {3}anthropic:claude-sonnet-5-5$/m);
    expect(stdout).toMatch(/^=== System message \(\d+ tokens\) ===$/m);
    expect(stdout).toMatch(/^--- knowledge k\/tone: project space, declared by greet \(\d+ tokens\)$/m);
    expect(stdout).toContain('Friendly \\x1b[31m.');
    expect(stdout).toMatch(/^note: Tools that a program registers as functions \(registerTool\) are not known here$/m);
    expect(stdout).toMatch(/^rye_file_system_read +execute rye\/file-system\/read \(\d+ tokens\)$/m);
  });

  test('has an image of a template as a part of its own, for a person and in JSON', async () => {
    using made = project();
    const head = 'name: look\ninputs:\n  photo: { kind: image, required: true }';
    made.write('.ai/directives/look.prompty', `---\n${head}\n---\nuser:\nWhat is on {{ photo }}?\n`);
    const args = ['prompt', 'look', '--input', 'photo=iVBORw0KGgoAAAA='];
    const { stdout } = await skein(made.path, ...args);
    expect(stdout).toMatch(/^--- image look: image\/png, 11 bytes \(5000 tokens\)\n\n=== Tools/m);
    const shown = shape.omit({ notes: true }).parse(JSON.parse((await skein(made.path, ...args, '--json')).stdout));
    const part = { kind: 'image', source: 'look', media_type: 'image/png', size: 11, tokens: 5000, text: '' };
    expect(shown.messages.at(-1)?.parts.at(-1)).toEqual(part);
    expect(shown.tokens.message).toBeGreaterThan(5000);
  });

  test.each([
    [['prompt', 'greet'], 3, 'missing_input'],
    [['prompt', 'nobody'], 3, 'item_not_found'],
    [['prompt'], 2, 'takes one directive'],
    [['prompt', 'greet', '--workers', '2'], 2, 'invalid_argument'],
  ])('%j is refused', async (args, code, text) => {
    using made = greeting();
    expect(await skein(made.path, ...args)).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(text) });
  });

  test('works while a runtime holds the project', async () => {
    await using own = await scene({ busy: { says: [NEVER] } });
    own.project.write('.ai/directives/greet.md', GREET.replace('<before>k/tone</before>', ''));
    await own.runtime.spawn('busy');
    const { code, stdout } = await skein(own.project.path, 'prompt', 'greet', '--input', 'who=Ada');
    expect({ code, text: stdout.includes('Greet Ada.') }).toEqual({ code: 0, text: true });
  });
});
