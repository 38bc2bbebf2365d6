import { describe, expect, test } from 'vitest';
import { openSymbolsBench } from './fixtures/symbols-bench.ts';
import { buildRefGraph } from './ref-graph.ts';

describe('The reference graph', () => {
  test.each<[string, Readonly<Record<string, string>>, Readonly<Record<string, string[]>>]>([
    [
      'imports of TypeScript and JavaScript',
      {
        'src/a.ts': "import './b.js'; export * from '../lib'; import 'react'; import './none.ts';",
        'src/b.ts': "import { a } from './a.ts'; import './c';",
        'src/c.tsx': '',
        'lib/index.js': "const d = require('./d');",
        'lib/d.cjs': '',
      },
      {
        'src/a.ts': ['lib/index.js', 'src/b.ts'],
        'src/b.ts': ['src/a.ts', 'src/c.tsx'],
        'lib/index.js': ['lib/d.cjs'],
      },
    ],
    [
      'imports by the name a file has once it is compiled',
      {
        'a.ts': "import './view.js'; import './m.mjs'; import './x.jsx'; import './both.js';",
        'view.tsx': '',
        'm.mts': '',
        'x.tsx': '',
        'both.ts': '',
        'both.tsx': '',
      },
      { 'a.ts': ['both.ts', 'm.mts', 'view.tsx', 'x.tsx'] },
    ],
    [
      'what stands at the end of a long file',
      {
        'a.ts': `${Array.from({ length: 500 }, (_, at) => `export const a${at} = 1;`).join('\n')}\nexport * from './b';`,
        'b.ts': '',
      },
      { 'a.ts': ['b.ts'] },
    ],
    [
      'modules of Python, with comments between them',
      {
        'app/a.py': 'from pkg import (  # noqa: F401\n  one,\n  two,# the second\n  # three,\n  four)  # the last\n',
        'app/pkg/__init__.py': '',
        'app/pkg/one.py': '',
        'app/pkg/two.py': '',
        'app/pkg/three.py': '',
        'app/pkg/four.py': '',
      },
      { 'app/a.py': ['app/pkg/four.py', 'app/pkg/one.py', 'app/pkg/two.py'] },
    ],
    [
      'modules of Python',
      {
        'app/pkg/__init__.py': 'from .one import x\n',
        'app/pkg/one.py': 'import os\nfrom . import two\nfrom ..other import y\n',
        'app/pkg/two.py': 'from pkg.one import *\nimport pkg\n',
        'app/other.py': '',
      },
      {
        'app/pkg/__init__.py': ['app/pkg/one.py'],
        'app/pkg/one.py': ['app/other.py', 'app/pkg/two.py'],
        'app/pkg/two.py': ['app/pkg/__init__.py', 'app/pkg/one.py'],
      },
    ],
    [
      'names that one file of the package declares, in Go',
      {
        'a.go': 'package p\nfunc Start() { Helper(); Twice() }\n',
        'b.go': 'package p\nfunc Helper() {}\nfunc Twice() {}\n',
        'c.go': 'package p\nfunc Twice() {}\n',
        'd.py': 'Helper = 1\n',
      },
      { 'a.go': ['b.go'] },
    ],
    [
      'modules of Rust',
      {
        'src/main.rs': 'mod a;\nmod b;\nuse crate::a::Thing;\n',
        'src/a.rs': 'pub struct Thing;\nmod inner;\n',
        'src/a/inner.rs': 'use crate::b::deep::{X, Y};\n',
        'src/b/mod.rs': 'pub mod deep;\n',
        'src/b/deep.rs': 'pub struct X;\n',
      },
      {
        'src/main.rs': ['src/a.rs', 'src/b/mod.rs'],
        'src/a.rs': ['src/a/inner.rs'],
        'src/a/inner.rs': ['src/b/deep.rs'],
        'src/b/mod.rs': ['src/b/deep.rs'],
      },
    ],
    [
      'modules of Rust whose name has super in it',
      {
        'src/main.rs': 'use crate::net::supervisor::Sup;\nuse super::supervisor::Sup;\n',
        'src/net/mod.rs': 'pub mod supervisor;\n',
        'src/net/supervisor.rs': '',
        'src/super/supervisor.rs': '',
      },
      { 'src/main.rs': ['src/net/supervisor.rs'], 'src/net/mod.rs': ['src/net/supervisor.rs'] },
    ],
    [
      'classes of Java',
      {
        'src/p/A.java': 'package p; import q.Other; import static q.Consts.MAX; class A { Neighbour n; }',
        'src/p/Neighbour.java': 'package p; class Neighbour {}',
        'src/q/Other.java': 'package q; class Other {}',
        'src/q/Consts.java': 'package q; class Consts {}',
      },
      { 'src/p/A.java': ['src/p/Neighbour.java', 'src/q/Consts.java', 'src/q/Other.java'] },
    ],
    [
      'headers of C and C++, the nearest first',
      {
        'src/a.cpp': '#include "a.h"\n#include <lib/b.h>\n#include <stdio.h>\n',
        'src/a.h': '',
        'other/a.h': '',
        'include/lib/b.h': '',
      },
      { 'src/a.cpp': ['include/lib/b.h', 'src/a.h'] },
    ],
    [
      'what C++ defines, not where it is announced or a method has its body',
      {
        'widget.h': 'class Widget { public: void runAll(); };\n',
        'widget.cpp': '#include "widget.h"\nvoid Widget::runAll() {}\n',
        'announced.h': 'class Widget;\nvoid use(Widget*);\n',
        'other.cpp': '// runAll the tests\nint count() { return 1; }\n',
        'user.cpp': 'Widget* made = copyOf(0);\n',
        'copy.h': 'Widget* copyOf(Widget*);\n',
      },
      {
        'widget.cpp': ['widget.h'],
        'announced.h': ['widget.h'],
        'copy.h': ['widget.h'],
        'user.cpp': ['copy.h', 'widget.h'],
      },
    ],
  ])('knows %s', async (_, files, expected) => {
    using bench = openSymbolsBench(files);
    const index = bench.open();
    await index.refresh();
    const graph = await buildRefGraph(index.entries());
    const found = index.paths().map((path) => [path, graph.references(path)] as const);
    expect(Object.fromEntries(found.filter(([, targets]) => targets.length > 0))).toEqual(expected);
    for (const [path, targets] of found) {
      for (const target of targets) expect(graph.referencedBy(target)).toContain(path);
    }
  });

  test('has nothing for a path that it does not know', async () => {
    const graph = await buildRefGraph([]);
    expect([graph.references('a.ts'), graph.referencedBy('__proto__')]).toEqual([[], []]);
  });
});
