import { expect, test } from 'vitest';
import { capabilityTree } from './capability-tree.ts';

const TOOLS = ['rye/file-system/read', 'rye/bash', 'rye/file-system/ls', 'app/price', 'plain'];

test.each<[string, readonly string[], readonly string[]]>([
  ['nothing', [], []],
  ['patterns without tools', ['rye.fetch.*', 'rye.sign.*'], ['rye.fetch.*', 'rye.sign.*']],
  [
    'everything',
    ['rye.execute.*'],
    ['rye.execute.*', '  app/price', '  plain', '  rye/bash', '  rye/file-system/{ls,read}'],
  ],
  [
    'a tool under its most specific pattern',
    ['rye.execute.tool.rye.*', 'rye.execute.tool.rye.file-system.*', 'rye.execute.tool.rye.file-system.ls'],
    [
      'rye.execute.tool.rye.*',
      '  rye/bash',
      'rye.execute.tool.rye.file-system.*',
      '  rye/file-system/read',
      'rye.execute.tool.rye.file-system.ls',
      '  rye/file-system/ls',
    ],
  ],
  [
    'a pattern of several levels once',
    ['rye.execute.tool.app.*', 'rye.execute.tool.app.*'],
    ['rye.execute.tool.app.*', '  app/price'],
  ],
])('The tree of %s', (_name, patterns, tree) => {
  expect(capabilityTree(patterns, TOOLS)).toEqual(tree);
});
