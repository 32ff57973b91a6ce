import { check, fc } from '@ldes-live/test-support/properties';
import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import type { Quad } from '@rdfjs/types';
import jsonld from 'jsonld';
import { Parser } from 'n3';
import { expect, test } from 'vitest';
import {
  commitEvent,
  commitPieces,
  formatSseComment,
  formatSseRetry,
  type Member,
  memberQuads,
  namedNode,
  parseQuads,
  piecesDocument,
  quad,
  relabelBlankNodes,
  tree,
  updateEvent,
  writeQuads,
} from '../src/index.ts';
import { oddPrefixes, quadsArbitrary } from './generated-quads.ts';
import { commitOf, description, end, streamPrefixes, vehicle } from './sample-stream.ts';
import { parseChunks } from './sse-record.ts';

const commit = commitOf([vehicle('1'), end('2'), vehicle('3')], 41);
const { members } = commit;
const pieces = commitPieces(members, description, streamPrefixes);
const [first] = members as [Member];
const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const at = (all: readonly Member[], chosen: readonly number[]) => chosen.map((index) => all[index] as Member);

/** The first member with other statements, as TriG says them. */
function stating(trig: string, id = first.id): Member {
  const parser = new Parser({ format: 'trig', blankNodePrefix: '' });
  return { ...first, id, quads: parser.parse(`@prefix : <http://x.example/> . ${trig}`) as Quad[] };
}

async function expectSame(document: string, expected: readonly Member[]): Promise<void> {
  // No base is needed: nothing in it is relative.
  expect(await canonical(await parseQuads(document, 'jsonld', 'urn:unused:'))).toBe(
    await canonical(memberQuads(description, expected)),
  );
}

test('PUSH-3 a commit is one event: its type, its cursor as the id, and the document of its members on one line', async () => {
  const frame = commitEvent(commit, description, streamPrefixes);
  expect(text(frame)).toBe(`event: update\nid: abc-44\ndata: ${piecesDocument(pieces)}\n\n`);
  expect(frame).toEqual(updateEvent(pieces, 'abc-44'));
  const document = JSON.parse(piecesDocument(pieces));
  expect(document['@context']).toBeTypeOf('object');
  expect(document['@id']).toBe(description.iri);
  expect(document['tree:member'].map((member: { '@id': string }) => member['@id'])).toEqual(
    members.map(({ id }) => id),
  );
  await expectSame(piecesDocument(pieces), members);
});

test('PUSH-3 the document of all members is that of their quads, byte for byte, for equal commits', () => {
  expect(piecesDocument(pieces)).toBe(writeQuads(memberQuads(description, members), 'jsonld', streamPrefixes));
  expect(piecesDocument(pieces, [0, 1, 2])).toBe(piecesDocument(pieces));
  const again = commitOf([vehicle('1'), end('2'), vehicle('3')], 41);
  expect(commitEvent(again, description, streamPrefixes)).toEqual(commitEvent(commit, description, streamPrefixes));
});

test('PUSH-19 the document of some members says what these say, under the same context, and so does its event', async () => {
  for (const chosen of [[0], [1], [2], [0, 2], [1, 2]]) {
    const document = piecesDocument(pieces, chosen);
    expect(JSON.parse(document)['@context']).toEqual(JSON.parse(pieces.context));
    await expectSame(document, at(members, chosen));
    expect(text(updateEvent(pieces, 'abc-2', chosen))).toBe(`event: update\nid: abc-2\ndata: ${document}\n\n`);
  }
});

test('PUSH-19 nodes and graphs that a member states beside itself come with it only', async () => {
  const beside = stating(
    `<${description.iri}> :p :c . :other :p _:m42b9 . _:m42b9 :p _:m42b9 . :graph { :a :p :b }`,
  ).quads;
  const leading = quad(first.quads[0]?.subject as never, namedNode('urn:p'), namedNode('http://x.example/other'));
  const wider = [{ ...first, quads: [...first.quads, leading, ...beside] }, ...members.slice(1)];
  const made = commitPieces(wider, description, streamPrefixes);
  expect(made.members.map((piece) => 'beside' in piece)).toEqual([true, false, false]);
  for (const chosen of [[0], [0, 1, 2], [1, 2]]) {
    const document = piecesDocument(made, chosen);
    const top = chosen.includes(0) ? ['@context', '@graph'] : ['@context', '@id', 'tree:member'];
    expect(Object.keys(JSON.parse(document))).toEqual(top);
    await expectSame(document, at(wider, chosen));
  }
});

test('PUSH-19 one context reads a property whose values differ from member to member', async () => {
  const odd = [':iri', '5', '"text"', '"text"@nl'].map((value, index) =>
    stating(`:member${index} :value ${value} .`, `http://x.example/member${index}`),
  );
  const made = commitPieces(odd, description, streamPrefixes);
  for (const index of odd.keys()) await expectSame(piecesDocument(made, [index]), at(odd, [index]));
  await expectSame(piecesDocument(made), odd);
});

test('a member that states nothing is named, and a prefix that cannot be used is not', async () => {
  const bare = commitPieces([stating('')], description, {});
  expect(JSON.parse(piecesDocument(bare))).toEqual({
    '@context': {},
    '@id': description.iri,
    [tree.member]: [{ '@id': first.id }],
  });
  // A prefix that is a scheme of the commit would be taken for it.
  const schemes = stating('<tree:oak> :value <tree:elm> .');
  const made = commitPieces([schemes], description, streamPrefixes);
  expect(made.link).toBe(JSON.stringify(tree.member));
  await expectSame(piecesDocument(made), [schemes]);
});

test('a term that JSON-LD cannot hold is refused, and an id with a line break', () => {
  const broken = { ...first, quads: [quad(namedNode('not absolute'), namedNode('urn:p'), namedNode('urn:o'))] };
  expect(() => commitPieces([...members, broken], description, streamPrefixes)).toThrow(
    expect.objectContaining({ code: 'ERR_TERM_UNSUPPORTED' }),
  );
  expect(() => updateEvent(pieces, 'abc\ndata: forged')).toThrow(
    expect.objectContaining({ code: 'ERR_SSE_FIELD_INVALID' }),
  );
});

test('PUSH-3 PUSH-13 updates are read the same wherever they are cut; one without id leaves the last one', () => {
  const odd = commitOf([{ ...vehicle('é'), entity: 'https://agency.example/vehicle/é😀' }]);
  const made = commitPieces(odd.members, description, streamPrefixes);
  const opening = new TextEncoder().encode(formatSseRetry(1500) + formatSseComment('é'));
  const bytes = Uint8Array.from([...opening, ...updateEvent(made, 'abc-1', [0]), ...updateEvent(made, '')]);
  const event = { event: 'update', id: 'abc-1', data: piecesDocument(made) };
  const calls = [{ retryMs: 1500 }, { comment: 'é' }, event, event];
  for (let cut = 0; cut <= bytes.length; cut++) {
    expect(parseChunks([bytes.subarray(0, cut), bytes.subarray(cut)])).toEqual(calls);
  }
});

// Terms of the generated quads, so that members and the stream are spoken of too.
const ids = ['ex:a', 'http://x.example/', 'http://x.example//a', 'urn:x:1', 'mailto:a@b.example', 'x:'];
const stream = fc.constantFrom(description.iri, ...ids).map((iri) => ({ ...description, iri }));

/** Members of a commit, and those of them that are chosen. */
function choices(doubles: boolean) {
  const ofQuads = fc.tuple(fc.constantFrom(...ids), quadsArbitrary({ graphs: true, doubles }));
  return fc.uniqueArray(ofQuads, { minLength: 1, maxLength: 3, selector: ([id]) => id }).chain((drawn) => {
    const made = drawn.map(([id, quads], index): Member => {
      const sequence = index + 1;
      const time = '2026-01-01T00:00:00.000Z';
      return { id, entity: id, kind: 'upsert', sequence, time, quads: relabelBlankNodes(quads, sequence) };
    });
    return fc.record({ made: fc.constant(made), chosen: fc.subarray([...made.keys()], { minLength: 1 }) });
  });
}

test.each([
  [
    'our reader',
    true,
    async (document: string) => canonical(await parseQuads(document, 'jsonld', 'http://b.example/')),
  ],
  [
    // Without doubles, the text of which it prints anew. Safe mode refuses whatever a processor would drop.
    'any JSON-LD processor',
    false,
    async (document: string) => {
      const options = { format: 'application/n-quads', base: 'http://b.example/', safe: true } as const;
      return canonicalText((await jsonld.toRDF(JSON.parse(document), options)) as never);
    },
  ],
] as const)('PUSH-19 any members of any commit are read back by %s, and nothing else', async (_who, doubles, read) => {
  await check(
    fc.asyncProperty(choices(doubles), stream, async ({ made, chosen }, described) => {
      const document = piecesDocument(commitPieces(made, described, oddPrefixes), chosen);
      expect(await read(document)).toBe(await canonical(memberQuads(described, at(made, chosen))));
    }),
    { numRuns: 300 },
  );
});
