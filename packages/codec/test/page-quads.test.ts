import { ldes, tree } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { pageQuads } from '../src/index.ts';
import { commitOf, description, end, vehicle } from './sample-stream.ts';

const url = `${description.url}/pages/0`;
const { members } = commitOf([vehicle('1'), end('2')]);

test('DOC-5 a page has hypermedia first, then each member: its tree:member triple, then its quads', () => {
  const quads = pageQuads(description, { url, sealed: true, members });
  const first = quads.findIndex(({ predicate }) => predicate.value === tree.member);
  expect(quads.slice(0, first).map(({ predicate, object }) => [predicate.value, object.value])).toEqual([
    ['http://www.w3.org/1999/02/22-rdf-syntax-ns#type', tree.Node],
    [ldes.immutable, 'true'],
  ]);
  let at = first;
  for (const member of members) {
    const link = quads[at];
    expect([link?.subject.value, link?.predicate.value, link?.object.value]).toEqual([
      description.iri,
      tree.member,
      member.id,
    ]);
    expect(quads.slice(at + 1, at + 1 + member.quads.length)).toEqual(member.quads);
    at += 1 + member.quads.length;
  }
  expect(at).toBe(quads.length);
});

test('DOC-5 an open page does not say that it is immutable', () => {
  const quads = pageQuads(description, { url, sealed: false, members: [] });
  expect(quads.map(({ subject, object }) => [subject.value, object.value])).toEqual([[url, tree.Node]]);
});
