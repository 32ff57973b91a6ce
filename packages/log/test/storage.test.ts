import { expect, test } from 'vitest';
import { fromRecord } from '../src/storage.ts';

test('a line that nobody can read is left out of its member, and told', () => {
  const type = '<http://www.w3.org/1999/02/22-rdf-syntax-ns#langString>';
  const good = `<urn:a:b> <urn:a:c> "^^${type} ." .\n<urn:a:b> <urn:a:datatype> ${type} .\n`;
  const bad = `<urn:a:b> <urn:a:c> "x"^^${type} .\n`;
  const told: string[] = [];
  const read = (nquads: string) =>
    fromRecord({ id: 'urn:a:1', entity: 'urn:a:b', kind: 'upsert', time: '', nquads }, 1, (line) => told.push(line));
  expect(read(good).nquads).toBe(good);
  expect(told).toEqual([]);
  const member = read(`${bad}${good}${bad}`);
  expect([member.nquads, member.quads.length, told]).toEqual([good, 2, [bad.trim(), bad.trim()]]);
});

test('a stored member has its text, and reads its quads from it once, when they are asked for', () => {
  const nquads = '<urn:a:b> <urn:a:c> "d" .\n';
  const stored = fromRecord({ id: 'urn:a:1', entity: 'urn:a:b', kind: 'upsert', time: '', nquads }, 1);
  expect(stored.nquads).toBe(nquads);
  expect(stored.quads).toHaveLength(1);
  expect(stored.quads).toBe(stored.quads);
  const broken = fromRecord({ id: 'urn:a:1', entity: 'urn:a:b', kind: 'upsert', time: '', nquads: 'no quads' }, 1);
  expect(broken.nquads).toBe('no quads');
  expect(() => broken.quads).toThrow(expect.objectContaining({ code: 'ERR_RDF_MALFORMED' }));
});
