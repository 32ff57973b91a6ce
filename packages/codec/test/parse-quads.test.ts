import { isStreamError, literal, namedNode, quad, xsd } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { type Format, parseNQuads, parseQuads } from '../src/index.ts';

const base = 'http://x.example/dir/doc';

async function caught(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test.each<[Format, string]>([
  ['turtle', '<s> <p> "5"^^<http://www.w3.org/2001/XMLSchema#integer> .'],
  ['trig', '{ <s> <p> 5 }'],
  ['jsonld', '{"@id":"s","http://x.example/dir/p":5}'],
])('relative IRIs in %s are resolved against the base', async (format, text) => {
  const [read, ...more] = await parseQuads(text, format, base);
  const expected = quad(
    namedNode('http://x.example/dir/s'),
    namedNode('http://x.example/dir/p'),
    literal('5', xsd.integer),
  );
  expect(more).toEqual([]);
  // Across factories, both ways.
  expect(read?.equals(expected)).toBe(true);
  expect(expected.equals(read)).toBe(true);
});

test.each<[Format, string, number | undefined]>([
  ['turtle', '<s> <p> <o> .\n<s> <p> "open .', 2],
  ['turtle', '<s> <p> <o>', 1],
  ['trig', '<g> { <s> <p>\n }', 2],
  ['ntriples', '<relative> <http://x.example/p> <http://x.example/o> .', 1],
  ['ntriples', '<http://x.example/s> <http://x.example/p> <http://x.example/o> <http://x.example/g> .', 1],
  ['nquads', '<http://x.example/s> <http://x.example/p> "a\nb" .', 1],
  ['jsonld', '{"@id":\n\n"s",}', undefined],
  ['jsonld', '"text"', undefined],
  ['jsonld', 'null', undefined],
  ['jsonld', '', undefined],
  ['jsonld', '{"@id": 5}', undefined],
  ['jsonld', '{"@id":"http://x.example/a b","http://x.example/p":1}', undefined],
  [
    'jsonld',
    '{"@id":"http://x.example/s","http://x.example/p":{"@value":"1","@type":"http://x.example/a b"}}',
    undefined,
  ],
])('%s that is malformed is refused: %j', async (format, text, line) => {
  const error = await caught(parseQuads(text, format, base));
  expect(error).toMatchObject({ code: 'ERR_RDF_MALFORMED', details: { format, url: base } });
  expect((error as Error).message).toContain(base);
  if (line !== undefined) expect(error).toMatchObject({ details: { line } });
  if (!['"text"', 'null'].includes(text)) expect(error).toHaveProperty('cause', expect.any(Error));
});

test('the line of a JSON error is named where the engine tells the position', async () => {
  const error = await caught(parseQuads('{\n"a": 1\n"b": 2}', 'jsonld', base));
  expect(error).toMatchObject({ details: { line: 3 } });
});

test('a text cut anywhere is refused or read, and never fails in another way', async () => {
  const texts: [Format, string][] = [
    ['turtle', '@prefix é: <urn:é:> .\né:s a [ é:p "x\\u00e9"@nl, 5.0 ] .'],
    ['trig', '<urn:g> { <urn:s> <urn:p> ( 1 _:b ) }'],
    ['nquads', '<urn:s> <urn:p> "a\\nb"^^<urn:d> _:g .\n'],
    ['jsonld', '{"@context":{"p":"urn:p"},"@id":"urn:s","p":[{"@list":[1,"é"]}]}'],
  ];
  for (const [format, text] of texts) {
    for (let end = 0; end < text.length; end++) {
      const error = await caught(parseQuads(text.slice(0, end), format, base));
      expect(error === undefined || isStreamError(error, 'ERR_RDF_MALFORMED')).toBe(true);
    }
  }
});

test.each([
  '{"@context":"https://evil.example/context.jsonld","@id":"urn:s"}',
  '{"@context":[{"a":"urn:a"},"https://evil.example/context.jsonld"],"@id":"urn:s"}',
  '{"@context":{"@import":"https://evil.example/context.jsonld"},"@id":"urn:s"}',
  '{"@id":"urn:s","urn:p":{"@context":"https://evil.example/context.jsonld","urn:q":1}}',
])('DOC-19 a remote context is refused by name: %s', async (text) => {
  expect(await caught(parseQuads(text, 'jsonld', base))).toMatchObject({
    code: 'ERR_JSONLD_CONTEXT_REFUSED',
    details: { url: 'https://evil.example/context.jsonld' },
  });
});

test('JSON-LD nested too deep for the stack is refused', async () => {
  const depth = 100_000;
  const text = `${'{"urn:p":'.repeat(depth)}1${'}'.repeat(depth)}`;
  expect(await caught(parseQuads(text, 'jsonld', base))).toMatchObject({ code: 'ERR_RDF_MALFORMED' });
});

test('a blank node label means one node in one document', async () => {
  const texts: [Format, string][] = [
    ['turtle', '_:a <urn:p> _:a, [ <urn:p> _:a ] .'],
    ['nquads', '_:a <urn:p> _:a .\n_:n3-0 <urn:p> _:a .\n'],
    ['jsonld', '{"@id":"_:a","urn:p":[{"@id":"_:a"},{"urn:p":{"@id":"_:a"}}]}'],
  ];
  for (const [format, text] of texts) {
    const quads = await parseQuads(text, format, base);
    const labels = new Set(quads.flatMap(({ subject, object }) => [subject.value, object.value]));
    expect(labels.size).toBe(2);
  }
});

test('parseNQuads reads at once, with the labels of the text', () => {
  const quads = parseNQuads('_:m1b0 <urn:p> "x" <urn:g> .\n');
  expect(quads.map(({ subject, graph }) => [subject.value, graph.value])).toEqual([['m1b0', 'urn:g']]);
  expect(() => parseNQuads('nonsense')).toThrow(expect.objectContaining({ code: 'ERR_RDF_MALFORMED' }));
});
