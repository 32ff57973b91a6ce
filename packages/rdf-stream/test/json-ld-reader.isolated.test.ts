import { afterEach, expect, test, vi } from 'vitest';

afterEach(() => {
  vi.doUnmock('jsonld');
  vi.resetModules();
});

test('a library that cannot be loaded is named, and asked for again the next time', async () => {
  vi.doMock('jsonld', () => {
    throw new Error('Failed to fetch');
  });
  const { loadJsonLd, parseNQuads, parseQuads } = await import('../src/index.ts');
  const read = () => parseQuads('{ "urn:x:p": 1 }', 'jsonld', 'urn:x:');
  await expect(read()).rejects.toMatchObject({ code: 'ERR_JSONLD_UNAVAILABLE' });
  await expect(loadJsonLd()).rejects.toMatchObject({ code: 'ERR_JSONLD_UNAVAILABLE' });
  // What needs no JSON-LD goes on.
  expect(parseNQuads('<urn:x:s> <urn:x:p> "o" .')).toHaveLength(1);
  vi.doUnmock('jsonld');
  await loadJsonLd();
  expect(await read()).toHaveLength(1);
});
