import { describe, expect, test } from 'vitest';
import type { ItemKey, TierAssignment } from '../../core/assembly.ts';
import { createGatherer, type Gatherer } from './assemble-gather.ts';
import { assembleRequest } from './assemble-request.ts';
import { fileTreeChanges, listedPaths } from './blocks.ts';
import { placed, sourcesOf, type Session } from './fixtures/session.ts';
import { treeText } from './tree-entries.ts';

const counter = { count: (text: string): number => text.length };

function session(): Session {
  const files = new Map(['a.ts', 'b.ts', 'c.ts'].map((path) => [path, `text of ${path}`]));
  return { files, selected: new Set(), history: [{ id: 'm0', index: 0, role: 'user', text: 'question 0' }] };
}

function bytes(own: Session, assignment: TierAssignment, gatherer: Gatherer): string {
  const gathered = gatherer.gather(assignment, sourcesOf(own));
  const { system, messages } = assembleRequest({ systemPrompt: 'You are careful.', ...gathered });
  return [system, ...messages.map(({ text }) => text)].join('\u0000');
}

describe('The list of files', () => {
  test('is sent with every prompt, as it is', () => {
    const own = session();
    expect(createGatherer({ counter }).gather(placed({}), sourcesOf(own)).fileTree).toBe(
      '# File Tree (3 files)\n\na.ts\nb.ts\nc.ts',
    );
  });

  test('is an item of a log, which grows by what has changed of it', () => {
    const own = session();
    const gatherer = createGatherer({ counter, repeats: 'older' });
    const hashNow = (): string | undefined =>
      gatherer.items(sourcesOf(own)).find(({ key }) => key === 'tree:files')?.hash;
    const one = hashNow();
    const before = bytes(own, placed({ L0: ['tree:files'], L1: ['history:m0'] }), gatherer);
    expect(before.split('# Repository Files')).toHaveLength(2);
    own.files.set('d.ts', 'new');
    own.files.delete('b.ts');
    const two = hashNow();
    const l1: ItemKey[] = ['history:m0', 'tree:files'];
    const after = bytes(own, placed({ L0: [`tree:files#${one}`], L1: l1 }), gatherer);
    const end = before.indexOf('question 0') + 'question 0'.length;
    expect(after.slice(0, end)).toBe(before.slice(0, end));
    expect(after.slice(end)).toContain(
      '# Repository Files (changed)\n\nChanges of the list of files above:\n\n# Added (1 files)\n\nd.ts\n\n# Removed (1 files)\n\nb.ts',
    );
    own.files.set('b.ts', 'again');
    const l1b: ItemKey[] = ['history:m0', `tree:files#${two}`, 'tree:files'];
    const third = bytes(own, placed({ L0: [`tree:files#${one}`], L1: l1b }), gatherer);
    const middle = after.indexOf('b.ts', after.indexOf('# Removed')) + 'b.ts'.length;
    expect(third.slice(0, middle)).toBe(after.slice(0, middle));
    expect(third.slice(middle)).toContain('# Added (1 files)\n\nb.ts');
    // Nobody names it any longer: it stands where S1 has it.
    expect(bytes(own, placed({ L1: ['history:m0'] }), gatherer)).toContain('# File Tree (4 files)');
  });

  test.each<[string[], string[], string]>([
    [[], ['a.ts'], '# Added (1 files)\n\na.ts'],
    [['a.ts'], [], '# Removed (1 files)\n\na.ts'],
  ])('may be empty: from %j to %j no more has changed than that', (before, now, changes) => {
    expect(fileTreeChanges(listedPaths(treeText(before)), listedPaths(treeText(now)))).toBe(changes);
  });
});
