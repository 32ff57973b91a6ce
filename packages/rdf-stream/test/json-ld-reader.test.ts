import { expect, test } from 'vitest';
import { isIri, jsonLdNodes, parseQuads, xsd } from '../src/index.ts';

const noContexts = async (url: string): Promise<object> => {
  throw new Error(url);
};

test('tells of what is at the top and says nothing that its context defines, in its order', async () => {
  const dropped: (string | undefined)[] = [];
  const said = { '@id': 'urn:a', 'urn:p': [1, { '@id': 'urn:c' }] };
  const document = [{ '@id': 'urn:b', p: 1 }, said, { p: 1 }, 'text', { '@value': 'x' }, { '@id': 'urn:d' }];
  const nodes = await jsonLdNodes(document, noContexts, (id) => dropped.push(id));
  expect(nodes.map(({ id, quads }) => [id, quads.length])).toEqual([['urn:a', 2]]);
  expect(dropped).toEqual(['urn:b', undefined, undefined, undefined, 'urn:d']);
  // Those who do not ask are not told.
  expect(await jsonLdNodes(document, noContexts)).toHaveLength(1);
});

test('half a character is in no IRI, nor a space in a language tag', async () => {
  expect([isIri('urn:\ud83d\ude8b'), isIri('urn:\ud83d'), isIri('urn:\ude8bx')]).toEqual([true, false, false]);
  const refused = { code: 'ERR_TERM_UNSUPPORTED' };
  await expect(jsonLdNodes({ '@id': 'urn:\ud83d', 'urn:p': 1 }, noContexts)).rejects.toMatchObject(refused);
  const text = { '@value': 'x', '@language': 'nl be' };
  await expect(jsonLdNodes({ 'urn:p': text }, noContexts)).rejects.toMatchObject({
    ...refused,
    details: { term: '"x"@nl be' },
  });
});

const RDF = 'http://www.w3.org/1999/02/22-rdf-syntax-ns#';
test.each([
  ['an empty language', { '@value': 'x', '@language': '' }, `"x"^^<${RDF}langString>`],
  ['a datatype that needs a language', { '@value': 'x', '@type': `${RDF}langString` }, `"x"^^<${RDF}langString>`],
  ['such a datatype of a boolean', { '@value': true, '@type': `${RDF}dirLangString` }, `"true"^^<${RDF}dirLangString>`],
  ['half a character', { '@value': 'x\ud83d' }, '"x\\ud83d"^^<http://www.w3.org/2001/XMLSchema#string>'],
])('%s is refused: no text could say it', async (_what, value, term) => {
  await expect(jsonLdNodes({ '@id': 'urn:a', 'urn:p': value }, noContexts)).rejects.toMatchObject({
    code: 'ERR_TERM_UNSUPPORTED',
    details: { term },
  });
  await expect(parseQuads(JSON.stringify({ 'urn:p': value }), 'jsonld', 'urn:b')).rejects.toMatchObject({
    code: 'ERR_RDF_MALFORMED',
  });
});

test('what looks like a keyword in place of an IRI says nothing', async () => {
  const inner = { '@id': 'urn:b', 'urn:p': 1 };
  const ignored = { '@id': '@ignored', '@type': 'urn:T', 'urn:p': [1, inner], '@graph': [{ 'urn:p': 1 }] };
  const [node] = await jsonLdNodes({ '@id': 'urn:a', 'urn:q': ignored, 'urn:r': 2 }, noContexts);
  expect(node?.quads.map(({ subject, predicate }) => [subject.value, predicate.value])).toEqual([
    ['urn:b', 'urn:p'],
    ['urn:a', 'urn:r'],
  ]);
});

// What the suite of the W3C does not ask.
test.each([
  ['a double given as text keeps its form', `{"@value":"51.050","@type":"${xsd.double}"}`, '51.050', xsd.double],
  ['what no double holds is infinite', '1e400', 'INF', xsd.double],
  ['what no double holds is infinite', '-1e400', '-INF', xsd.double],
  ['an integer past those of JavaScript is a double', '1e21', '1.0E21', xsd.double],
  ['a fraction is a double, however it prints', '1e-7', '1.0E-7', xsd.double],
  ['a number of another datatype keeps its text', `{"@value":5,"@type":"${xsd.decimal}"}`, '5', xsd.decimal],
  ['a boolean may have another datatype', '{"@value":false,"@type":"urn:d"}', 'false', 'urn:d'],
  // By RFC 8785, those that are integers too.
  [
    'keys of a JSON literal are in order',
    '{"@type":"@json","@value":{"a":1,"10":2,"1":3,"":[]}}',
    '{"":[],"1":3,"10":2,"a":1}',
    'http://www.w3.org/1999/02/22-rdf-syntax-ns#JSON',
  ],
])('%s: %s', async (_what, value, text, datatype) => {
  const [read] = await parseQuads(`{"urn:p":${value}}`, 'jsonld', 'urn:x:');
  expect(read?.object).toMatchObject({ value: text, datatype: { value: datatype } });
});

test('a number in a JSON literal that no double holds is refused', async () => {
  const text = '{"urn:p":{"@type":"@json","@value":[1e400]}}';
  await expect(parseQuads(text, 'jsonld', 'urn:x:')).rejects.toMatchObject({ code: 'ERR_RDF_MALFORMED' });
});
