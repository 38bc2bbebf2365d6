import { describe, expect, test } from 'vitest';
import { elementsOf, readXml, textOf } from './xml-tree.ts';

const rootOf = (xml: string) => {
  const read = readXml(xml);
  if (!read.ok) throw new Error(read.reason);
  return read.root;
};

describe('reading XML', () => {
  test('keeps order, text, attributes and lines', () => {
    const root = rootOf('<a x="1 &lt; 2">\n t &amp; <b y=\'007\'/>\n<c>007</c></a>');
    expect(root.attributes.get('x')).toBe('1 < 2');
    expect(elementsOf(root).map(({ name, line }) => `${name}${line}`)).toEqual(['b2', 'c3']);
    expect(root.children[0]).toBe('\n t & ');
    expect(elementsOf(root).map(textOf)).toEqual(['', '007']);
    expect(elementsOf(root)[0]?.attributes.get('y')).toBe('007');
  });

  test('leaves character data as it is', () => {
    expect(textOf(rootOf('<a><![CDATA[&lt; <!DOCTYPE x> <b>]]></a>'))).toBe('&lt; <!DOCTYPE x> <b>');
  });

  test('counts lines from the first line of the block, CRLF as one', () => {
    const read = readXml('<a>\r\n<b></a>', 10);
    expect(read).toMatchObject({ ok: false, line: 11 });
  });

  test('names that objects inherit are ordinary names', () => {
    const root = rootOf('<toString valueOf="1"><hasOwnProperty/></toString>');
    expect([root.name, [...root.attributes], elementsOf(root)[0]?.name]).toEqual([
      'toString',
      [['valueOf', '1']],
      'hasOwnProperty',
    ]);
  });

  test('decodes the five entities and numeric ones', () => {
    expect(textOf(rootOf('<a>&lt;&gt;&amp;&quot;&apos;&#65;&#x1F600;&amp;lt;</a>'))).toBe('<>&"\'A😀&lt;');
  });

  test('64 levels are read', () => {
    expect(rootOf('<a>'.repeat(64) + '</a>'.repeat(64)).name).toBe('a');
  });

  test.each([
    ['two roots', '<a/><b/>', 'second root'],
    ['two roots with end tags', '<a></a><b></b>', 'root'],
    ['no root', '<!-- x -->', 'Start tag'],
    ['nothing', '', 'Start tag'],
    ['text after the root', '<a/>x', 'after the root'],
    ['an unclosed tag', '<a><b></a>', 'Expected closing tag'],
    ['an unclosed comment', '<a><!-- </a>', ''],
    ['a DOCTYPE', '<!DOCTYPE a><a/>', 'DOCTYPE'],
    ['a DOCTYPE with entities', '<!DOCTYPE a [<!ENTITY x "y">]><a>&x;</a>', 'DOCTYPE'],
    ['a declaration inside', '<a><!ENTITY x "y"></a>', 'DOCTYPE'],
    ['an unknown entity', '<a>&nbsp;</a>', '&nbsp;'],
    ['a numeric entity that is no character', '<a x="&#0;"/>', '&#0;'],
    ['half a surrogate pair', '<a x="&#xD800;"/>', '&#xD800;'],
    ['a bare ampersand', '<a x="a & b"/>', '&'],
    ['a repeated attribute', '<a x="1" x="2"/>', 'repeated'],
    ['an attribute without quotes', '<a x=1/>', ''],
    ['a control character', '<a>\u0001</a>', 'control character'],
    ['__proto__ as a name', '<a><__proto__/></a>', 'reserved'],
    ['65 levels', '<a>'.repeat(65) + '</a>'.repeat(65), 'deeper than 64'],
    ['too many tags', `<a>${'<b/>'.repeat(20_000)}</a>`, 'more than 10000'],
  ])('refuses %s', (_, xml, reason) => {
    const read = readXml(xml);
    expect(read.ok).toBe(false);
    expect(read.ok ? '' : read.reason).toContain(reason);
  });

  test.each([
    ['an entity in a text of several lines', '<a>\n<b/>one\n&bad;</a>', 12],
    ['an entity in an attribute', '<a>\n<b\n c="&bad;"/></a>', 12],
    ['a bare ampersand after a good one', '<a>&amp;\n\n&</a>', 12],
    ['a tag that is not closed', '<a>\n<b>\n</a>', 12],
  ])('names the line of %s in the file', (_, xml, line) => {
    expect(readXml(xml, 10)).toMatchObject({ ok: false, line });
  });

  test('names lines of the file in its reasons too', () => {
    expect(readXml('<a>\n<b>\n</a>', 10)).toMatchObject({ reason: expect.stringContaining('opened in line 11,') });
  });
});
