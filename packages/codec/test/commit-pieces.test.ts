import {
  blankNode,
  languageLiteral,
  literal,
  type Member,
  namedNode,
  quad,
  rdf,
  tree,
  xsd,
} from '@ldes-live/rdf-stream';
import { canonical } from '@ldes-live/test-support/rdf';
import { expect, test } from 'vitest';
import { commitPieces, memberQuads, parseQuads, piecesDocument, writeQuads } from '../src/index.ts';
import { commitOf, description, end, streamPrefixes, vehicle } from './sample-stream.ts';

const { members } = commitOf([vehicle('1'), end('2'), vehicle('3')], 41);
const pieces = commitPieces(members, description, streamPrefixes);
const named = (name: string) => namedNode(`http://x.example/${name}`);
const [first] = members as [Member];

async function expectSame(text: string, expected: readonly Member[]): Promise<void> {
  expect(await canonical(await parseQuads(text, 'jsonld', 'urn:unused:'))).toBe(
    await canonical(memberQuads(description, expected)),
  );
}

test('PUSH-3 the document of all members is that of their quads, byte for byte', () => {
  expect(piecesDocument(pieces)).toBe(writeQuads(memberQuads(description, members), 'jsonld', streamPrefixes));
  expect(piecesDocument(pieces, [0, 1, 2])).toBe(piecesDocument(pieces));
});

test('PUSH-19 the document of some members says what these say, under the same context', async () => {
  for (const chosen of [[0], [1], [2], [0, 2], [1, 2]]) {
    const text = piecesDocument(pieces, chosen);
    expect(JSON.parse(text)['@context']).toEqual(JSON.parse(pieces.context));
    await expectSame(
      text,
      chosen.map((index) => members[index] as Member),
    );
  }
});

test('PUSH-19 nodes and graphs that a member states beside itself come with it only', async () => {
  const beside = [
    quad(first.quads[0]?.subject ?? named('a'), named('p'), named('other')),
    quad(named('other'), named('p'), blankNode('m42b9')),
    quad(blankNode('m42b9'), named('p'), blankNode('m42b9')),
    quad(named('a'), named('p'), named('b'), named('graph')),
    quad(namedNode(description.iri), named('p'), named('c')),
  ];
  const wider = [{ ...first, quads: [...first.quads, ...beside] }, ...members.slice(1)];
  const { members: made, ...rest } = commitPieces(wider, description, streamPrefixes);
  expect(made.map((piece) => 'beside' in piece)).toEqual([true, false, false]);
  const all = { members: made, ...rest };
  for (const chosen of [[0], [0, 1, 2]]) {
    const text = piecesDocument(all, chosen);
    expect(Object.keys(JSON.parse(text))).toEqual(['@context', '@graph']);
    await expectSame(
      text,
      chosen.map((index) => wider[index] as Member),
    );
  }
  const others = piecesDocument(all, [1, 2]);
  expect(Object.keys(JSON.parse(others))).toEqual(['@context', '@id', 'tree:member']);
  await expectSame(others, members.slice(1));
});

test('PUSH-19 one context reads a property whose values differ from member to member', async () => {
  const values = [named('iri'), literal('5', xsd.integer), literal('text'), languageLiteral('text', 'nl')];
  const odd = values.map((value, index) => ({
    ...first,
    id: `http://x.example/member/${index}`,
    quads: [quad(named(`member/${index}`), rdfValue(), value)],
  }));
  const made = commitPieces(odd, description, streamPrefixes);
  for (const index of odd.keys()) await expectSame(piecesDocument(made, [index]), [odd[index] as Member]);
  await expectSame(piecesDocument(made), odd);
});

test('a member that states nothing is named, and a prefix that cannot be used is not', async () => {
  const empty = { ...first, quads: [] };
  const bare = commitPieces([empty], description, {});
  expect(JSON.parse(piecesDocument(bare))).toEqual({
    '@context': {},
    '@id': description.iri,
    [tree.member]: [{ '@id': first.id }],
  });
  // A prefix that is a scheme of the commit would be taken for it.
  const schemes = { ...first, quads: [quad(namedNode('tree:oak'), rdfValue(), namedNode('tree:elm'))] };
  const made = commitPieces([schemes], description, streamPrefixes);
  expect(made.link).toBe(JSON.stringify(tree.member));
  await expectSame(piecesDocument(made), [schemes]);
});

test('a term that JSON-LD cannot hold is refused', () => {
  const broken = { ...first, quads: [quad(namedNode('not absolute'), rdfValue(), named('a'))] };
  expect(() => commitPieces([...members, broken], description, streamPrefixes)).toThrow(
    expect.objectContaining({ code: 'ERR_TERM_UNSUPPORTED' }),
  );
});

function rdfValue() {
  return namedNode(rdf.type.replace('type', 'value'));
}
