import { literal, namedNode, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { Representations } from '../src/documents/representations.ts';
import type { DocumentState, StreamDocument } from '../src/documents/stream-document.ts';

// A document of about so many bytes as N-Triples, which counts how often it is made.
function sized(url: string, bytes: number): StreamDocument & { made: number; version: string; lastModifiedMs: number } {
  const said = quad(namedNode(url), namedNode('http://example.org/text'), literal('x'.repeat(bytes)));
  const document = {
    url,
    made: 0,
    version: '1',
    lastModifiedMs: 0,
    state: (): DocumentState => ({ version: document.version, cursor: { epoch: 'e', sequence: 1 }, sealed: false }),
    build: async () => {
      document.made += 1;
      return { quads: [said], lastModifiedMs: document.lastModifiedMs };
    },
  };
  return document;
}

test('DOC-10 as many documents are kept as the limit has room for, those that were asked for last', async () => {
  const [a, b, c] = ['a', 'b', 'c'].map((name) => sized(`http://example.org/${name}`, 1000));
  const one = (await new Representations({ prefixes: {}, limitKeptBytes: 1 }).get(a as never, 'ntriples')).bytes.length;
  const representations = new Representations({ prefixes: {}, limitKeptBytes: 2 * one });
  const get = async (document = a) => representations.get(document as StreamDocument, 'ntriples');
  await get(a);
  await get(b);
  // At the limit both are kept; asked for again, the first is the one that was asked for last.
  await get(b);
  await get(a);
  await get(c);
  await get(a);
  expect([a?.made, b?.made, c?.made]).toEqual([2, 1, 1]);
  await get(b);
  expect(b?.made).toBe(2);
});

test('DOC-10 one document is kept however large it is, and a failure is not', async () => {
  const large = sized('http://example.org/large', 5000);
  const representations = new Representations({ prefixes: {}, limitKeptBytes: 1 });
  await representations.get(large, 'ntriples');
  await representations.get(large, 'ntriples');
  expect(large.made).toBe(1);
  const failing = { ...sized('http://example.org/failing', 1), build: () => Promise.reject(new Error('disk')) };
  await expect(representations.get(failing, 'ntriples')).rejects.toThrow('disk');
  await expect(representations.get({ ...failing, build: large.build }, 'ntriples')).resolves.toBeDefined();
});

test('DOC-11 a state is dated if the one before it was of another second', async () => {
  const document = sized('http://example.org/a', 1);
  const representations = new Representations({ prefixes: {}, limitKeptBytes: 1000 });
  const next = async (lastModifiedMs: number) => {
    Object.assign(document, { version: String(lastModifiedMs), lastModifiedMs });
    return (await representations.get(document, 'ntriples')).isDated;
  };
  expect([await next(1200), await next(1999), await next(2000), await next(2001)]).toEqual([true, false, true, false]);
});
