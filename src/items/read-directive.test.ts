import { describe, expect, test } from 'vitest';
import { compileCondition } from '../core/condition.ts';
import { thrownBy } from '../../test/fixtures/thrown-by.ts';
import type { Directive } from '../core/item.ts';
import { parseText } from './fixtures/parse-text.ts';

const AT = { id: 'project/deploy/staging', file: 'staging.md' };
const parse = (source: string): Directive => parseText('directive', source, AT).value;
const fenced = (xml: string, rest = '\nDo it.\n'): string =>
  `# Title\n\nAbout it.\n\n\`\`\`xml\n${xml}\n\`\`\`\n${rest}`;
const withMetadata = (metadata: string): Directive =>
  parse(fenced(`<directive name="n"><metadata>${metadata}</metadata></directive>`));

const MARK = '<!-- rye:unsigned -->\n';
const BARE = '```xml\n<directive name="n"/>\n```\n';

const WHOLE = `<!-- rye:signed:2026-02-24T04:54:45Z:aa:bb:cc -->
<!-- rye:unsigned -->
# Deploy

Deploys to staging.

\`\`\`xml
<directive name="deploy" version="1.2.0" extends="rye/agent/core/base">
  <metadata>
    <description>Deploys &amp; checks</description>
    <category>deploy</category>
    <author>someone</author>
    <model tier="general" provider="anthropic" id="m-1" fallback="fast"/>
    <limits><turns>6</turns><spend>0.05</spend><spend_currency>USD</spend_currency></limits>
    <permissions>
      <execute><tool>rye/file-system/*</tool><directive>*</directive></execute>
      <search>*</search>
      <cap>rye.sign.knowledge.project/notes</cap>
    </permissions>
    <context>
      <system>rye/agent/core/Identity</system>
      <before>project/rules</before>
      <before>project/rules</before>
      <after>project/checklist</after>
      <suppress>ctx_environment</suppress>
    </context>
    <hooks>
      <hook id="again" event="error" wrap="false" timeout_ms="500">
        <condition path="attempt" op="lt" value="2"/>
        <execute item_type="tool" item_id="rye/x"><param name="action" value="retry"/></execute>
      </hook>
    </hooks>
  </metadata>
  <inputs>
    <input name="target" required="true">Where to</input>
    <input name="tries" type="int" default="3"/>
  </inputs>
  <outputs>
    <output name="url">The address</output>
    <output name="ok" type="boolean" required="false"/>
  </outputs>
  <load item_type="knowledge" item_id="project/rules"/>
</directive>
\`\`\`
<process>
  <step name="one">Run <execute item_type="tool" item_id="t" primary="sign"><param name="a" value="1"/><param name="b">{"c": 2}</param></execute> if a < b && c.</step>
</process>
`;

describe('a whole directive', () => {
  const directive = parse(WHOLE);

  test('has its head', () => {
    expect(directive).toMatchObject({
      id: AT.id,
      name: 'deploy',
      version: '1.2.0',
      description: 'Deploys & checks',
      category: 'deploy',
      extends: 'rye/agent/core/base',
      model: { tier: 'general', provider: 'anthropic', id: 'm-1', fallback: 'fast' },
      limits: { turns: 6, spend: 0.05, spend_currency: 'USD' },
    });
  });

  test('has its permissions as capabilities', () => {
    expect(directive.permissions).toEqual([
      'rye.execute.tool.rye.file-system.*',
      'rye.execute.directive.*',
      'rye.search.*',
      'rye.sign.knowledge.project.notes',
    ]);
  });

  test('has its context, each item once', () => {
    expect(directive.context).toEqual({
      system: ['rye/agent/core/Identity'],
      before: ['project/rules'],
      after: ['project/checklist'],
      suppress: ['ctx_environment'],
    });
  });

  test('has its hooks', () => {
    expect(directive.hooks).toEqual([
      {
        id: 'again',
        event: 'error',
        condition: { path: 'attempt', op: 'lt', value: 2 },
        action: { primary: 'execute', item_type: 'tool', item_id: 'rye/x', params: { action: 'retry' } },
        wrap: false,
        timeout_ms: 500,
      },
    ]);
  });

  test('has its inputs and outputs', () => {
    expect(directive.inputs).toEqual([
      { name: 'target', type: 'string', required: true, description: 'Where to' },
      { name: 'tries', type: 'integer', required: false, description: '', default: 3 },
    ]);
    expect(directive.outputs).toEqual([
      { name: 'url', type: 'string', required: true, description: 'The address' },
      { name: 'ok', type: 'boolean', required: false, description: '' },
    ]);
  });

  test('has the actions of fence and body in order, attributes never over the action itself', () => {
    expect(directive.actions).toEqual([
      { primary: 'load', item_type: 'knowledge', item_id: 'project/rules', params: {} },
      { primary: 'execute', item_type: 'tool', item_id: 't', params: { a: '1', b: '{"c": 2}' } },
    ]);
    const line = WHOLE.slice(0, WHOLE.indexOf('<step')).split('\n').length;
    expect(directive.warnings).toEqual([
      'line 23: a second <before>project/rules</before> in <context> is ignored',
      `line ${line}: the attribute "primary" of <execute> is ignored`,
    ]);
  });

  test('has its texts byte for byte', () => {
    expect(directive.preamble).toBe(WHOLE.slice(0, WHOLE.indexOf('```xml')));
    expect(directive.body).toBe(WHOLE.slice(WHOLE.indexOf('<process>')));
    expect(directive.content).toBe(WHOLE.slice(WHOLE.indexOf('<directive'), WHOLE.indexOf('\n```\n<process>')));
  });
});

describe('finding the fence', () => {
  const xml = '<directive name="n"/>';

  test.each([
    ['a plain fence', `\`\`\`xml\n${xml}\n\`\`\`\nBody`],
    ['a fence of four backticks', `\`\`\`\`xml\n${xml}\n\`\`\`\`\nBody`],
    ['tildes', `~~~xml\n${xml}\n~~~\nBody`],
    ['CRLF', `\`\`\`xml\r\n${xml}\r\n\`\`\`\r\nBody`],
    ['another xml fence before it', `\`\`\`xml\n<other/>\n\`\`\`\n\`\`\`xml\n${xml}\n\`\`\`\nBody`],
    [
      'an example in a longer fence before it',
      `\`\`\`\`md\n\`\`\`xml\n<directive name="ex"/>\n\`\`\`\n\`\`\`\`\n\`\`\`xml\n${xml}\n\`\`\`\nBody`,
    ],
    [
      'a comment and a declaration before the root',
      `\`\`\`xml\n<?xml version="1.0"?>\n<!-- c -->\n${xml}\n\`\`\`\nBody`,
    ],
    ['a byte order mark', `\uFEFF\`\`\`xml\n${xml}\n\`\`\`\nBody`],
  ])('reads %s', (_, source) => {
    expect(parse(source)).toMatchObject({ name: 'n', body: 'Body' });
  });

  test('refuses an action that brings the internal context of a call with it', () => {
    const action = '<execute item_id="x"><param name="_thread_context">{}</param></execute>';
    const error = thrownBy(() => parse(fenced(`<directive name="n">\n${action}</directive>`)));
    expect(error).toMatchObject({ code: 'invalid_item', where: { file: 'staging.md', line: 7 } });
  });

  test.each([
    ['<directive name="n">', 'XML'],
    ['<directive name="n"/><directive name="m"/>', 'second root'],
    ['<directive name="n"/>text', 'text after'],
    ['<!DOCTYPE directive>\n<directive name="n"/>', 'DOCTYPE'],
    ['<!DOCTYPE html>\n<!-- c -->\n<directive name="n"/>', 'DOCTYPE'],
    ['<!doctype x SYSTEM "x.dtd" [\n<!ENTITY y "z">\n]>\n<directive name="n"/>', 'DOCTYPE'],
    ['<directive name="a & b"/>', '&amp;'],
    ['<directive name="n" name="m"/>', 'repeated'],
    ['<directive name=n/>', ''],
  ])('refuses %j with its line', (broken, reason) => {
    const error = thrownBy(() => parse(fenced(broken)));
    expect(error).toMatchObject({ code: 'invalid_item', where: { file: 'staging.md', line: expect.any(Number) } });
    expect(error.message).toContain(reason);
  });

  test('a second directive in the body is body', () => {
    const body = '```xml\n<directive name="two"><execute item_id="x"/></directive>\n```\n';
    expect(parse(fenced(xml, body))).toMatchObject({ name: 'n', body, actions: [] });
  });

  test('an attribute may have a > in it', () => {
    const source = fenced(
      '<directive name="n" description="a > b"><inputs><input name="a" default=">"/></inputs></directive>',
    );
    expect(parse(source)).toMatchObject({ description: 'a > b', inputs: [{ default: '>' }], warnings: [] });
  });

  test('a second directive is remarked on, with its line', () => {
    const source = `${fenced(xml)}\`\`\`xml\n<directive name="two"/>\n\`\`\`\n`;
    expect(parse(source).warnings).toEqual(['line 11: a second <directive> is text of the body and not read']);
  });

  test('a risk that is acknowledged grants nothing and is no surprise', () => {
    const metadata =
      '<permissions><execute>*</execute><acknowledge risk="high">It is a test</acknowledge></permissions>';
    const source = fenced(`<directive name="n"><metadata>${metadata}</metadata></directive>`);
    const { value, fields, warnings } = parseText('directive', source, AT);
    expect(value.permissions).toEqual(['rye.execute.*']);
    expect([fields['acknowledge'], warnings]).toEqual([[{ risk: 'high', reason: 'It is a test' }], []]);
  });

  test('without anything after the fence the preamble is the body, without headings and signatures', () => {
    const source = `<!-- rye:signed:a:b:c:d -->\n# Head\n\nDo <load item_id="a"/>.\n\n\`\`\`sh\n# keep\n\`\`\`\n\`\`\`xml\n<directive name="n"><sign item_id="b"/></directive>\n\`\`\`\n<!-- rye:signed:a:b:c:d -->\n`;
    const directive = parse(source);
    expect(directive).toMatchObject({ preamble: '', body: '\nDo <load item_id="a"/>.\n\n```sh\n# keep\n```\n' });
    expect(directive.actions.map(({ item_id }) => item_id)).toEqual(['a', 'b']);
  });

  test.each([
    ['above the fence', 6, (action: string) => `${MARK}# Head\n\n${MARK}# More\n${action}\n${BARE}`],
    ['below the fence', 6, (action: string) => `${MARK}${BARE}${MARK}${action}\n`],
    ['above the fence with CRLF', 3, (action: string) => `# Head\r\n\r\n${action}\r\n${BARE}`],
    ['below a block', 6, (action: string) => `# Head\n# More\n~~~\n# More\n~~~\n${action}\n${BARE}`],
  ])('remarks on an action %s with its line in the file, whatever is left out above it', (_, line, source) => {
    const { warnings } = parse(source('<load item_id="a" params="b"/>'));
    expect(warnings).toEqual([`line ${line}: the attribute "params" of <load> is ignored`]);
  });

  test('reads a param of an action without the lines that are left out of it', () => {
    const { actions } = parse(`<execute item_id="a"><param name="p">a\n# Head\n${MARK}b</param></execute>\n${BARE}`);
    expect(actions).toMatchObject([{ params: { p: 'a\nb' } }]);
  });

  test('a rule at the beginning of its body begins no front matter: code blocks below it are left alone', () => {
    const body = '\n---\n```md\n<!-- rye:signed:a:b:c:d -->\n```\n---\nDo it.\n';
    expect(parse(`${fenced('<directive name="n"/>')}${body}`)).toMatchObject({ body: expect.stringContaining(body) });
    const old = `---\n\`\`\`sh\n# build\n\`\`\`\n---\n\`\`\`xml\n<directive name="n"/>\n\`\`\`\n`;
    expect(parse(old)).toMatchObject({ body: expect.stringContaining('# build') });
  });

  test('without a directive the file is refused', () => {
    const error = thrownBy(() => parse('# Only prose\n```xml\n<other/>\n```\n'));
    expect([error.code, error.where?.file]).toEqual(['invalid_item', 'staging.md']);
    expect(error.message).toContain('<directive>');
  });
});

describe('sections', () => {
  test('a bare directive has empty sections and its id for a name', () => {
    const directive = parse(fenced('<directive/>'));
    expect(directive).toMatchObject({
      name: 'staging',
      version: '',
      category: 'project/deploy',
      extends: undefined,
      model: {},
      limits: {},
      permissions: undefined,
      hooks: [],
      inputs: [],
      outputs: [],
      actions: [],
    });
    expect(directive.warnings).toEqual([expect.stringContaining('has no name')]);
  });

  test('sections may stand directly under the root', () => {
    const directive = parse(fenced('<directive name="n"><limits turns="2"/><permissions>*</permissions></directive>'));
    expect(directive).toMatchObject({ limits: { turns: 2 }, permissions: ['rye.*'], actions: [] });
  });

  test.each([
    ['<permissions/>', []],
    ['<permissions>*</permissions>', ['rye.*']],
    ['<permissions><execute>*</execute></permissions>', ['rye.execute.*']],
    ['<permissions><fetch><knowledge>a/*</knowledge></fetch></permissions>', ['rye.fetch.knowledge.a.*']],
    ['<permissions><execute><tool>rye.fs.*</tool></execute></permissions>', ['rye.execute.tool.rye.fs.*']],
    ['<permissions><cap>rye.*</cap><cap>rye.*</cap></permissions>', ['rye.*']],
  ])('%s grants %j without a remark', (xml, permissions) => {
    expect(withMetadata(xml)).toMatchObject({ permissions, warnings: [] });
  });

  test.each([
    '<permissions>all</permissions>',
    '<permissions><write>*</write></permissions>',
    '<permissions><execute>tool</execute></permissions>',
    '<permissions><execute><item>*</item></execute></permissions>',
    '<permissions><execute/></permissions>',
    '<permissions><execute><tool></tool></execute></permissions>',
    '<permissions><execute><tool>a b</tool></execute></permissions>',
    '<permissions><cap>fs.read</cap></permissions>',
  ])('%s grants nothing and says so', (xml) => {
    const directive = withMetadata(xml);
    expect(directive.permissions).toEqual([]);
    expect(directive.warnings).toEqual([expect.stringContaining('grants nothing')]);
  });

  test.each([
    ['<limits turns="3" tokens="9"/>', { turns: 3, tokens: 9 }, 0],
    ['<limits><spend>1e-2</spend></limits>', { spend: 0.01 }, 0],
    ['<limits max_turns="3"><max_tokens>9</max_tokens></limits>', { turns: 3, tokens: 9 }, 2],
  ])('%s are the limits %j, with %d remarks', (xml, limits, remarks) => {
    expect(withMetadata(xml)).toMatchObject({ limits, warnings: { length: remarks } });
  });

  test('outputs in map form are free of type', () => {
    const { outputs } = withMetadata('<outputs><score>0-100</score><search type="list" required="no"/></outputs>');
    expect(outputs).toEqual([
      { name: 'score', type: 'any', required: true, description: '0-100' },
      { name: 'search', type: 'array', required: false, description: '' },
    ]);
  });

  test.each([
    ['an unknown section', '<colour>red</colour>', '<colour> in <metadata>'],
    ['text between sections', 'so: <limits turns="1"/>', '"so:"'],
    ['an attribute of a section', '<context kind="x"/>', '"kind" of <context>'],
    ['elements where text is expected', '<description>a <b>b</b></description>', '<b> in <description>'],
    ['an element beside its attribute', '<name>other</name>', '<name> is ignored: its attribute counts'],
    ['a second description', '<description>a</description><description>b</description>', 'second <description>'],
    ['an attribute of a limit', '<limits><turns max="yes">3</turns></limits>', '"max" of <turns>'],
    ['an attribute of a permission', '<permissions><execute tool="a"/></permissions>', '"tool" of <execute>'],
    ['an input that no text can refer to', '<inputs><input name="a.b"/></inputs>', '{input:a.b} refers to nothing'],
    ['a risk without a name', '<permissions><acknowledge>x</acknowledge></permissions>', 'names no risk'],
    ['a second model', '<model tier="a"/><model tier="b"/>', 'second <model>'],
    ['a model tier given twice', '<model tier="a"><tier>b</tier></model>', '<tier> is ignored'],
    ['a description beside a text', '<inputs><input name="a" description="b">c</input></inputs>', '"description" of'],
    ['an unknown model attribute', '<model tier="fast" mood="a"/>', '"mood"'],
    ['a model that says nothing', '<model/>', '<model> gives none of tier, provider, id, fallback'],
    ['a model with an empty part', '<model id="a"><tier/></model>', 'an empty <tier>'],
    ['an empty text', '<extends> </extends>', 'an empty <extends>'],
    ['a processing instruction', '<?php echo 1 ?><extends>a</extends>', 'the processing instruction "php"'],
    ['an unknown place in the context', '<context><during>a</during></context>', '<during>'],
    [
      'a second context item',
      '<context><before>b</before>\n<after>b</after>\n<before>b</before></context>',
      'line 8: a second <before>b</before> in <context> is ignored',
    ],
    ['an empty context item', '<context><before/></context>', 'empty <before>'],
    ['an unknown input type', '<inputs><input name="a" type="file"/></inputs>', 'type "file"'],
    ['something else among the inputs', '<inputs><output name="a"/></inputs>', '<output> in <inputs>'],
    ['text among the inputs', '<inputs>hello</inputs>', '"hello"'],
    ['a hook layer', '<hooks><hook id="h" event="error" layer="3"><load item_id="a"/></hook></hooks>', 'layer'],
    ['a hook without an id', '<hooks><hook event="error"><load item_id="a"/></hook></hooks>', 'hook_1'],
  ])('remarks on %s', (_, xml, remark) => {
    expect(withMetadata(xml).warnings).toEqual([expect.stringContaining(remark)]);
  });

  test('remarks in the order of the file, whatever is read first', () => {
    const { warnings } = withMetadata('<extends/>\n<model mood="a"/>\n<colour/>');
    const lines = warnings.map((warning) => Number(/^line (\d+):/.exec(warning)?.[1]));
    expect(lines).toEqual(lines.toSorted((one, other) => one - other));
    expect(new Set(lines).size).toBe(3);
  });

  test.each([
    ['a limit that is no number', '<limits>\n<turns>ten</turns></limits>', 7, '"turns"'],
    ['a negative limit', '<limits turns="-1"/>', 6, '"turns" ("-1") is wrong'],
    ['half a turn', '<limits turns="1.5"/>', 6, '"turns" ("1.5") is wrong'],
    ['euros', '<limits spend_currency="EUR"/>', 6, 'USD'],
    [
      'an unknown limit',
      '<limits>\n<rounds>3</rounds></limits>',
      7,
      '"project/deploy/staging": limit "rounds" ("3") is not',
    ],
    ['a limit that every object has', '<limits><toString>3</toString></limits>', 6, '"toString" ("3") is not a limit'],
    ['two spellings of a limit', '<limits turns="1" max_turns="1"/>', 6, '"turns" is given twice'],
    ['a limit given twice', '<limits turns="1"><turns>2</turns></limits>', 6, 'twice'],
    ['an extends that escapes', '<extends>../x</extends>', 6, '".."'],
    ['a context item that escapes', '<context><system>/etc/x</system></context>', 6, 'absolute'],
    ['an input without a name', '<inputs><input/></inputs>', 6, 'no name'],
    ['an input declared twice', '<inputs><input name="a"/>\n<input name="a"/></inputs>', 7, 'twice'],
    ['an output declared twice', '<outputs><a/><a/></outputs>', 6, 'twice'],
    ['a required that is no boolean', '<inputs><input name="a" required="maybe"/></inputs>', 6, 'neither'],
    ['a default of another type', '<inputs><input name="a" type="integer" default="x"/></inputs>', 6, 'whole number'],
    ['a hook without an event', '<hooks><hook id="h"><load item_id="a"/></hook></hooks>', 6, 'no event'],
    ['a hook on no event', '<hooks><hook event="eror"><load item_id="a"/></hook></hooks>', 6, 'no hook event "eror"'],
    ['a hook without an action', '<hooks><hook id="h" event="error"/></hooks>', 6, 'no action'],
    ['a hook with something unknown', '<hooks><hook id="h" event="error"><when/><load/></hook></hooks>', 6, '<when>'],
    ['a misspelt hook attribute', '<hooks><hook id="h" evnt="e" event="error"><load/></hook></hooks>', 6, 'evnt'],
    [
      'a param without a name',
      '<hooks><hook id="h" event="error"><action function="f"><param/></action></hook></hooks>',
      6,
      'usable name',
    ],
    [
      'a misspelt param of an action of a hook',
      hooked('<execute item_id="a"><parm name="action" value="retry"/></execute>'),
      7,
      '<parm> does not belong into <execute>',
    ],
    [
      'a param without a name of an action of a hook',
      hooked('<execute item_id="a">\n<param value="x"/></execute>'),
      8,
      'a <param> of <execute> has no usable name',
    ],
    [
      'an action in an action of a hook',
      hooked('<execute item_id="a"><load item_id="b"/></execute>'),
      7,
      '<load> does not belong into <execute>',
    ],
    ['params as an attribute of an action of a hook', hooked('<load params="x"/>'), 7, '<load> takes <param>'],
    ['something else among actions', hooked('<actions><run><param/></run></actions>'), 7, '<run> does not belong'],
    [
      'a context in a hook',
      '<hooks><hook id="h" event="error"><load _thread_context="x"/></hook></hooks>',
      6,
      'in a file',
    ],
    [
      'params as an attribute',
      '<hooks><hook id="h" event="error"><action function="f" params="x"/></hook></hooks>',
      6,
      '<param>',
    ],
    [
      'a misspelt attribute of an action of a hook',
      '<hooks><hook id="h" event="error"><load item_id="a" sorce="user"/></hook></hooks>',
      6,
      '<load> of <hook> does not take the attribute "sorce"',
    ],
    [
      'an attribute of an action that calls a function',
      '<hooks><hook id="h" event="error"><action function="f" item_id="a"/></hook></hooks>',
      6,
      'does not take the attribute "item_id"; it takes function',
    ],
    [
      'a function of a primary action',
      '<hooks><hook id="h" event="error"><execute function="f"/></hook></hooks>',
      6,
      '<execute> of <hook> does not take the attribute "function"; it takes item_type, item_id, source, dry_run',
    ],
    [
      'what a directive extends as an attribute',
      '<hooks><hook id="h" event="resolve_extends"><action set_extends="base"/></hook></hooks>',
      6,
      '. <set_extends>ID</set_extends> stands in the hook in place of an action',
    ],
    [
      'a primary action that calls a function',
      '<hooks><hook id="h" event="error"><action primary="load" function="f"/></hook></hooks>',
      6,
      '<action> of <hook> is of a primary action or of a function, not both',
    ],
    [
      'an attribute of another primary action',
      '<hooks><hook id="h" event="error"><execute item_id="a" destination="user"/></hook></hooks>',
      6,
      'does not take the attribute "destination"',
    ],
    ['a hook id used twice', `<hooks>${'<hook id="h" event="error"><load/></hook>'.repeat(2)}</hooks>`, 6, 'twice'],
    [
      'a position in the system message',
      '<hooks><hook id="h" event="build_system_prompt" position="after"><load/></hook></hooks>',
      6,
      'has no position',
    ],
    ['a wrong position', '<hooks><hook id="h" event="error" position="top"><load/></hook></hooks>', 6, 'before'],
    [
      'a condition that is no JSON',
      '<hooks><hook id="h" event="error"><condition>{</condition><load/></hook></hooks>',
      6,
      'not JSON',
    ],
    ['an unknown operator', guarded('<condition path="turn" op="zz" value="1"/>'), 6, 'unknown operator "zz"'],
    ['a comparison with nothing', guarded('<condition path="turn"/>'), 6, 'operator "eq" needs a value'],
    ['a wrong pattern', guarded('<condition path="turn" op="regex" value="(["/>'), 6, '<condition>: '],
    ['a wrong JSON condition', guarded('<condition>{"path": "turn", "opp": "gt"}</condition>'), 6, 'unknown key "opp"'],
    [
      'set_extends at another event',
      '<hooks><hook id="h" event="error"><set_extends>base</set_extends></hook></hooks>',
      6,
      'resolve_extends only',
    ],
    [
      'another action at resolve_extends',
      '<hooks><hook id="h" event="resolve_extends"><load item_id="a"/></hook></hooks>',
      6,
      'has one action, set_extends',
    ],
  ])('refuses %s', (_, xml, line, reason) => {
    const error = thrownBy(() => withMetadata(xml));
    expect(error).toMatchObject({ code: 'invalid_item', where: { file: 'staging.md', line } });
    expect(error.message).toContain(reason);
  });

  test('malformed XML is refused with its line in the file', () => {
    const error = thrownBy(() => parse(fenced('<directive name="n">\n<metadata>\n</directive>')));
    expect(error).toMatchObject({ code: 'invalid_item', where: { file: 'staging.md', line: 8 } });
  });

  test.each([
    ['the XML', fenced(`<directive name="n">${'x'.repeat(256 * 1024)}</directive>`)],
    ['the file', fenced('<directive name="n"/>', 'x'.repeat(1024 * 1024))],
  ])('refuses when %s is too large', (_, source) => {
    expect(thrownBy(() => parse(source)).code).toBe('item_too_large');
  });
});

describe('hook forms', () => {
  const hook = (inside: string) => withMetadata(`<hooks><hook id="h" event="error">${inside}</hook></hooks>`).hooks[0];
  const load = '<load item_id="a"/>';

  test.each([
    ['JSON', '{"path":"a","op":"in","value":["x"]}', { path: 'a', op: 'in', value: ['x'] }],
    ['nothing', '', {}],
    [
      'any',
      '<any><condition path="a" value="x"/><not><condition path="b" op="exists"/></not></any>',
      { any: [{ path: 'a', op: 'eq', value: 'x' }, { not: { path: 'b', op: 'exists' } }] },
    ],
    ['a nested condition', '<all><condition><any/></condition></all>', { all: [{ any: [] }] }],
  ])('reads a condition made of %s', (_, inside, condition) => {
    expect(hook(`<condition>${inside}</condition>${load}`)?.condition).toEqual(condition);
  });

  test.each([
    ['"3"', '3'],
    ['plain', 'plain'],
    ['[1,2]', [1, 2]],
  ])('reads the value %s of a comparison', (text, value) => {
    expect(hook(`<condition path="p" value='${text}'/>${load}`)?.condition).toEqual({ path: 'p', op: 'eq', value });
  });

  test.each<[string, string, readonly unknown[], readonly unknown[]]>([
    ['eq', '12345', [12345, '12345'], [1234, '012345']],
    ['eq', '12345678901234567890', ['12345678901234567890'], ['12345678901234567000']],
    ['eq', 'true', [true, 'true'], [false, 'false']],
    ['ne', '3', [4, '4'], [3, '3']],
    ['in', '[12345, "x"]', [12345, '12345', 'x'], [1234]],
    ['contains', '12', ['a12', [12], ['12']], ['a1', [1]]],
    ['regex', '12', ['a12'], ['a1']],
    ['gte', '3', [3], ['3']],
  ])('compares with %s and the value %s also as a text', (op, text, those, others) => {
    const spec = hook(`<condition path="p" op="${op}" value='${text}'/>${load}`)?.condition;
    const holds = compileCondition(spec, {});
    expect([...those, ...others].map((p) => holds({ p }))).toEqual([
      ...those.map(() => true),
      ...others.map(() => false),
    ]);
  });

  test('reads set_extends', () => {
    const hooks = '<hooks><hook id="h" event="resolve_extends"><set_extends>project/base</set_extends></hook></hooks>';
    expect(withMetadata(hooks).hooks).toEqual([
      { id: 'h', event: 'resolve_extends', action: { set_extends: 'project/base' } },
    ]);
  });

  test.each([
    [
      'a host function',
      '<action function="f"><param name="a">b</param></action>',
      { action: { function: 'f', params: { a: 'b' } } },
    ],
    [
      'a generic action',
      '<action primary="search" query="q"/>',
      { action: { primary: 'search', query: 'q', params: {} } },
    ],
    [
      'an action with all that it may say',
      '<load item_type="tool" item_id="a" source="user" destination="project" overwrite="true" dry_run="true"/>',
      {
        action: {
          primary: 'load',
          item_type: 'tool',
          item_id: 'a',
          source: 'user',
          destination: 'project',
          overwrite: 'true',
          dry_run: 'true',
          params: {},
        },
      },
    ],
    [
      'several actions',
      load + load,
      {
        actions: [
          { primary: 'load', item_id: 'a', params: {} },
          { primary: 'load', item_id: 'a', params: {} },
        ],
      },
    ],
    ['a list of one', `<actions>${load}</actions>`, { actions: [{ primary: 'load', item_id: 'a', params: {} }] }],
  ])('reads %s', (_, inside, expected) => {
    expect(hook(inside)).toEqual({ id: 'h', event: 'error', ...expected });
  });
});

function hooked(action: string): string {
  return `<hooks><hook id="h" event="error">\n${action}</hook></hooks>`;
}

function guarded(condition: string): string {
  return `<hooks><hook id="h" event="error">${condition}<load item_id="a"/></hook></hooks>`;
}
