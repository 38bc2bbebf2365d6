import { describe, expect, test } from 'vitest';
import { costOf } from '../../test/fixtures/cost-of.ts';
import { htmlTitle, htmlToText } from './html-text.ts';

describe('HTML as text', () => {
  test.each([
    ['plain', 'plain'],
    ['', ''],
    ['<p>one</p><p>two</p>', 'one\n\ntwo'],
    ['a<br>b<BR/>c', 'a\nb\nc'],
    ['<h1>Title</h1>\n\n   <p>Some <b>bold</b>\n text</p>', 'Title\n\nSome bold text'],
    ['<ul><li>one<li>two</ul>', '- one\n- two'],
    ['<table><tr><td>a</td><td>b</td></tr><tr><th>c</th></tr></table>', 'a b\n\nc'],
    ['<pre>  x\n    y</pre> z', 'x\n    y\nz'],
    ['<head><title>T</title><meta charset=utf-8><style>a{}</style></head><body>b', 'T\n\nb'],
    ['a<script>if (1 < 2) "</p>"</script>b', 'ab'],
    ['a<SCRIPT>x</SCRIPT >b', 'ab'],
    ['a<style>never closed', 'a'],
    ['a<!-- <p>no</p> -->b<!-- open', 'ab'],
    ['<!DOCTYPE html><?xml version="1.0"?>a', 'a'],
    ['<a href="/x?a=1&amp;b=2">link</a>', 'link (/x?a=1&b=2)'],
    ["<a class=b href='https://e.example/'>link</a>", 'link (https://e.example/)'],
    ['<a href=#top>up</a> <a href="javascript:x()">run</a> <a>none</a>', 'up run none'],
    ['<p title="a > b">x</p>', 'x'],
    ['<p title=\'a > b\' x = "c>d">x</p>', 'x'],
    ["<p class=don't>x</p> it's", "x\nit's"],
    ['<p title="open>x', ''],
    ['1 < 2 <3 a<b', '1 < 2 <3 a'],
    [
      '&lt;b&gt; &amp;lt; &#65;&#x42; &nbsp;&hellip; &unknown; & &#0; &#xD800; &#1114112;',
      '<b> &lt; AB … &unknown; & &#0; \ufffd &#1114112;',
    ],
    ['<div>a<div>b</div></div><div></div><div></div>c', 'a\nb\n\nc'],
    ['a<svg viewBox="0 0 1 1"/>b<svg><path/>c</svg>d', 'abd'],
    ['a<script src="x"/>b</script>c', 'ac'],
    ['a<script src="x"/>b', 'ab'],
    ['a<style/>b<style>c', 'ab'],
    ['a<svg>b<iframe src="x"/>c<object>d<noscript>e<template>f', 'abcdef'],
    ['a<iframe>b<p>c</p><iframe>d', 'ab\nc\nd'],
  ])('%j is %j', (html, text) => {
    expect(htmlToText(html)).toBe(text);
  });

  test.each([
    ['a<script src="x"/>b<script>c</script>d', 'abd'],
    ['<head><title>T</title><style />\n<object data="x"/></head><body>b<iframe/>c', 'T\n\nbc'],
    ['a<script>b', 'a'],
  ])('that is written as XML: %j is %j', (html, text) => {
    expect(htmlToText(html, { isXml: true })).toBe(text);
  });

  test.each([
    '<',
    '<svg>',
    '<svg/>',
    '<iframe/>',
    '<script/>',
    '<a',
    '<a href="',
    '<a x=',
    '<!--',
    '<script>',
    '</',
    '<b>',
    '<p>',
    '</li>',
    '&',
    '&amp;',
    ' ',
    '<pre>',
    '<p title="x">',
    '<a href=x>',
    '= "',
    '\t\n',
  ])('of a megabyte of %j takes no time', (piece) => {
    const html = piece.repeat(1_000_000 / piece.length);
    const work = (): unknown => htmlToText(html);
    expect(work).not.toThrow();
    expect(costOf(work, 400)).toBeLessThan(400);
  });

  test.each(['<title ', '<title>', '<title x="'])('has no title in 64 KB of %j, and says so at once', (piece) => {
    const html = piece.repeat(20_000);
    expect(htmlTitle(html)).toBeUndefined();
    expect(costOf(() => htmlTitle(html), 20)).toBeLessThan(20);
  });
});
