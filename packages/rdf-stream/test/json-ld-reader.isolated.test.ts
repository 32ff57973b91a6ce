import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.doUnmock('jsonld');
  vi.doUnmock('../src/n3-parser.ts');
  vi.resetModules();
});

test('a library that cannot be loaded is named, and asked for again the next time', async () => {
  vi.doMock('jsonld', () => {
    throw new Error('Failed to fetch');
  });
  const { parseNQuads, parseQuads } = await import('../src/index.ts');
  const read = (json: string) => parseQuads(json, 'jsonld', 'urn:x:');
  const listed = '{ "urn:x:p": { "@list": [] } }';
  await expect(read(listed)).rejects.toMatchObject({ code: 'ERR_PARSER_UNAVAILABLE' });
  // What does without it goes on.
  expect(parseNQuads('<urn:x:s> <urn:x:p> "o" .')).toHaveLength(1);
  expect(await read('{ "urn:x:p": 1 }')).toHaveLength(1);
  vi.doUnmock('jsonld');
  expect(await read(listed)).toHaveLength(1);
});

test('so is what reads Turtle', async () => {
  vi.doMock('../src/n3-parser.ts', () => {
    throw new Error('Failed to fetch');
  });
  const { parseQuads } = await import('../src/read-rdf.ts');
  const refused = { code: 'ERR_PARSER_UNAVAILABLE', details: { format: 'turtle' } };
  await expect(parseQuads('<urn:x:s> <urn:x:p> 5 .', 'turtle', 'urn:x:')).rejects.toMatchObject(refused);
  expect(await parseQuads('<urn:x:s> <urn:x:p> "o" .', 'nquads', 'urn:x:')).toHaveLength(1);
});
