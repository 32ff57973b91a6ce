import jsonld from 'jsonld';
import { expect, test } from 'vitest';
import { parseQuads } from '../src/index.ts';
import { canonical, canonicalText } from './canonical.ts';

const context = { p: 'urn:p', q: { '@id': 'urn:q', '@type': '@id' }, xsd: 'http://www.w3.org/2001/XMLSchema#' };

test.each<[what: string, body: object]>([
  ['lists, empty and nested', { p: [{ '@list': [1, { '@list': [] }, { p: 'x' }] }, { '@list': [] }] }],
  ['sets and null', { p: [{ '@set': ['a', null] }, null] }],
  ['reverse properties', { '@reverse': { p: [{ '@id': 'urn:o', p: 1 }, { p: 2 }] } }],
  ['included nodes', { '@included': [{ '@id': 'urn:i', p: 'x' }] }],
  ['graphs with a name and without', { p: 'x', '@graph': [{ '@id': 'urn:i', p: { '@graph': [{ p: 'y' }] } }] }],
  [
    'numbers',
    { p: [1, -1.5, 1e21, 1.5e-7, { '@value': 5, '@type': 'xsd:double' }, { '@value': 5, '@type': 'xsd:decimal' }] },
  ],
  ['booleans', { p: [true, { '@value': false, '@type': 'urn:d' }] }],
  ['language tags', { p: { '@value': 'x', '@language': 'nl' } }],
  ['JSON literals', { p: { '@value': { b: [1, { d: 1, c: null }], a: 'é' }, '@type': '@json' } }],
  ['types', { '@type': ['urn:T', '_:t'], q: ['_:t', 'urn:o', ''] }],
  ['nested properties and an index', { '@nest': { p: { '@value': 'x', '@index': 'i' } }, '@index': 'j' }],
  ['properties that are blank nodes, which are dropped', { '_:p': 'x', p: 'y' }],
])('reads %s as the standard has it', async (_what, body) => {
  const document = { '@context': context, '@id': 'urn:s', ...body };
  const options = { format: 'application/n-quads', base: 'http://base.example/' } as const;
  const expected = (await jsonld.toRDF(document as never, options)) as never as string;
  const read = await parseQuads(JSON.stringify(document), 'jsonld', 'http://base.example/');
  expect(await canonical(read)).toBe(await canonicalText(expected));
});

test('a double given as text keeps its lexical form', async () => {
  const text = '{"urn:p":{"@value":"51.050","@type":"http://www.w3.org/2001/XMLSchema#double"}}';
  const [read] = await parseQuads(text, 'jsonld', 'urn:x:');
  expect(read?.object.value).toBe('51.050');
});

test.each([
  ['1e400', 'INF'],
  ['-1e400', '-INF'],
])('the number %s, which no double holds, is %s', async (number, text) => {
  const [read] = await parseQuads(`{"urn:p":${number}}`, 'jsonld', 'urn:x:');
  expect(read?.object).toMatchObject({ value: text, datatype: { value: `${context.xsd}double` } });
});

test('a number in a JSON literal that no double holds is refused', async () => {
  const text = '{"urn:p":{"@type":"@json","@value":[1e400]}}';
  await expect(parseQuads(text, 'jsonld', 'urn:x:')).rejects.toMatchObject({ code: 'ERR_RDF_MALFORMED' });
});

test('a number with a fraction is a double, however it prints', async () => {
  const [read] = await parseQuads('{"urn:p":1e-7}', 'jsonld', 'urn:x:');
  expect(read?.object).toMatchObject({ value: '1.0E-7', datatype: { value: `${context.xsd}double` } });
});

test('keys of a JSON literal stand in the order of RFC 8785, those that are integers too', async () => {
  const text = '{"urn:p":{"@type":"@json","@value":{"a":1,"10":2,"1":3,"":[]}}}';
  const [read] = await parseQuads(text, 'jsonld', 'urn:x:');
  expect(read?.object.value).toBe('{"":[],"1":3,"10":2,"a":1}');
});
