import { expect, test } from 'vitest';
import { read } from './documents.ts';

const xml = (text: string) => read(text, { format: 'xml' });

test('MAP-78 an element is a mapping of its children and attributes by their local names', () => {
  const text =
    '<d:model xmlns:d="urn:d" d:version="2"><d:site id="P1"><d:free> 412\n</d:free></d:site><d:site id="P2"/></d:model>';
  expect(xml(text)).toEqual({ '@version': '2', site: [{ '@id': 'P1', free: '412' }, { '@id': 'P2' }] });
});

test('MAP-78 an element without children and attributes is its text, one with them has it as #text', () => {
  expect(xml('<a>x</a>')).toBe('x');
  expect(xml('<a/>')).toBe('');
  expect(xml('<a lang="de">x</a>')).toEqual({ '@lang': 'de', '#text': 'x' });
  expect(xml('<a>\n <b>1</b> and <b>2</b>\n</a>')).toEqual({ b: ['1', '2'], '#text': 'and' });
  expect(xml('<a>x<!-- c --> y<![CDATA[ <z> ]]>&lt;&#x41;&#66;</a>')).toBe('x y <z> <AB');
});

test('MAP-78 of attributes of one local name that without a prefix counts', () => {
  const declared = 'xmlns:xsi="urn:x" xmlns="urn:y"';
  expect(xml(`<a ${declared} xsi:type="A"/>`)).toEqual({ '@type': 'A' });
  expect(xml(`<a ${declared} type="B" xsi:type="A"/>`)).toEqual({ '@type': 'B' });
  expect(xml(`<a ${declared} xsi:type="A" type="B"/>`)).toEqual({ '@type': 'B' });
});

test('MAP-78 a name that says __proto__ is a name', () => {
  const document = xml('<a><__proto__><b>1</b></__proto__></a>') as Record<string, unknown>;
  expect(Object.keys(document)).toEqual(['__proto__']);
  expect(document.b).toBeUndefined();
});

test.each<[text: string, line: number]>([
  ['', 1],
  ['<a>\n<b></a>', 2],
  ['<a>', 1],
  ['<a></a><b></b>', 1],
  ['<a x=1/>', 1],
  ['<a x="1" x="2"/>', 1],
  ['<a>&nbsp;</a>', 1],
  ['<a>&constructor;</a>', 1],
  ['<a>&toString;</a>', 1],
  ['<a>&#0;</a>', 1],
  ['text', 1],
  ['{"a": 1}', 1],
])('MAP-78 %j is refused with the line', (text, line) => {
  expect(xml(text)).toMatchObject({ code: 'ERR_DOCUMENT_MALFORMED', format: 'xml', line });
});

test('MAP-97 a document with another root than the one that is meant is refused', () => {
  const of = (text: string) => read(text, { format: 'xml', root: 'sites' });
  expect(of('<x:sites xmlns:x="urn:x"><site>1</site></x:sites>')).toEqual({ site: '1' });
  expect(of('<sites/>')).toBe('');
  expect(of('<html><sites/></html>')).toMatchObject({
    code: 'ERR_DOCUMENT_MALFORMED',
    reason: 'its root element is html, and not sites',
    line: 1,
  });
});

test('MAP-79 a web page is told to be one', () => {
  expect(xml('<!DOCTYPE html>\n<html/>')).toMatchObject({
    code: 'ERR_DOCUMENT_MALFORMED',
    reason: 'it is an HTML page',
    line: 1,
  });
});

test('MAP-79 any DOCTYPE is refused, whatever it says', () => {
  const entities = Array.from({ length: 9 }, (_, index) => `<!ENTITY l${index + 1} "&l${index};&l${index};">`).join(
    '\n',
  );
  for (const text of [
    '<!DOCTYPE a>\n<a/>',
    '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://localhost/x.dtd"><html/>',
    `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY l0 "lol">${entities}]><a>&l9;</a>`,
    '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>',
  ]) {
    expect(xml(text)).toMatchObject({ code: 'ERR_DOCUMENT_DOCTYPE' });
  }
});
