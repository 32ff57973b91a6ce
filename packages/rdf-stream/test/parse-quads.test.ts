import { expect, test } from 'vitest';
import { type Format, isStreamError, literal, namedNode, parseNQuads, parseQuads, quad, xsd } from '../src/index.ts';

const base = 'http://x.example/dir/doc';

async function caught(promise: Promise<unknown>): Promise<unknown> {
  return await promise.then(
    () => undefined,
    (error: unknown) => error,
  );
}

test('terms are those of RDF/JS, whoever made them', async () => {
  const [read, ...more] = await parseQuads('<s> <p> 5 .', 'turtle', base);
  const expected = quad(
    namedNode('http://x.example/dir/s'),
    namedNode('http://x.example/dir/p'),
    literal('5', xsd.integer),
  );
  expect(more).toEqual([]);
  expect(read?.equals(expected)).toBe(true);
  expect(expected.equals(read)).toBe(true);
});

test.each<[Format, string, number | undefined]>([
  ['turtle', '<s> <p> <o> .\n<s> <p> "open .', 2],
  ['turtle', '<s> <p> <o>', 1],
  ['trig', '<g> { <s> <p>\n }', 2],
  ['ntriples', '<http://x.example/s> <http://x.example/p> <http://x.example/o> <http://x.example/g> .', 1],
  ['jsonld', '{"@id":\n\n"s",}', undefined],
  ['jsonld', '"text"', undefined],
  ['jsonld', 'null', undefined],
  ['jsonld', '', undefined],
])('%s that is malformed is refused with its place: %j', async (format, text, line) => {
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

test('JSON-LD nested too deep for the stack is refused', async () => {
  const depth = 100_000;
  const text = `${'{"urn:p":'.repeat(depth)}1${'}'.repeat(depth)}`;
  expect(await caught(parseQuads(text, 'jsonld', base))).toMatchObject({ code: 'ERR_RDF_MALFORMED' });
});

test('parseNQuads reads at once, with the labels of the text', () => {
  const quads = parseNQuads('_:m1b0 <urn:p> "x" <urn:g> .\n');
  expect(quads.map(({ subject, graph }) => [subject.value, graph.value])).toEqual([['m1b0', 'urn:g']]);
  expect(() => parseNQuads('nonsense')).toThrow(expect.objectContaining({ code: 'ERR_RDF_MALFORMED' }));
});
