import { check, Floors, fc } from '@ldes-live/test-support/properties';
import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import type { Quad } from '@rdfjs/types';
import jsonld from 'jsonld';
import { Parser } from 'n3';
import { expect, test } from 'vitest';
import {
  blankNode,
  documentChunks,
  documentText,
  eventText,
  type Joined,
  languageLiteral,
  literal,
  type Member,
  MemberWriter,
  memberQuads,
  namedNode,
  parseQuads,
  quad,
  relabelBlankNodes,
  type StreamDescription,
  tree,
  writeMembers,
  writeQuads,
} from '../src/index.ts';
import { oddPrefixes, quadsArbitrary } from './generated-quads.ts';
import { commitOf, description, end, streamPrefixes, vehicle } from './sample-stream.ts';

const { members } = commitOf([vehicle('1'), end('2'), vehicle('3')], 41);
const writer = new MemberWriter(description, streamPrefixes);
const joined = writer.joined(members);
const [first] = members as [Member];
const at = (all: readonly Member[], chosen: readonly number[]) => chosen.map((index) => all[index] as Member);

/** The first member with other statements, as TriG says them. */
function stating(trig: string, id = first.id): Member {
  const { nquads: _, ...bare } = first;
  const parser = new Parser({ format: 'trig', blankNodePrefix: '' });
  return { ...bare, id, quads: parser.parse(`@prefix : <http://x.example/> . ${trig}`) as Quad[] };
}

async function expectSame(document: string, expected: readonly Member[]): Promise<void> {
  // No base is needed: nothing in it is relative.
  expect(await canonical(await parseQuads(document, 'jsonld', 'urn:unused:'))).toBe(
    await canonical(memberQuads(description, expected)),
  );
}

test('PUSH-3 a commit is one event: its type, its cursor as the id, and the document of its members on one line', async () => {
  expect(eventText(joined, 'abc-44')).toBe(`event: update\nid: abc-44\ndata: ${documentText(joined)}\n\n`);
  // Without an id it leaves the reader's as it was.
  expect(eventText(joined, '')).toBe(`event: update\ndata: ${documentText(joined)}\n\n`);
  const document = JSON.parse(documentText(joined));
  expect(document['@context']).toBeTypeOf('object');
  expect(document['@id']).toBe(description.iri);
  expect(document['tree:member'].map((member: { '@id': string }) => member['@id'])).toEqual(
    members.map(({ id }) => id),
  );
  await expectSame(documentText(joined), members);
});

test('PUSH-3 the document of all members is that of their quads, byte for byte, for equal commits', () => {
  expect(documentText(joined)).toBe(writeQuads(memberQuads(description, members), 'jsonld', streamPrefixes));
  expect(documentText(joined, [0, 1, 2])).toBe(documentText(joined));
  const again = commitOf([vehicle('1'), end('2'), vehicle('3')], 41);
  expect(documentText(writer.joined(again.members))).toBe(documentText(joined));
});

test('PUSH-3 the document of some members says what these say, under the same context, and so does its event', async () => {
  for (const chosen of [[0], [1], [2], [0, 2], [1, 2]]) {
    const document = documentText(joined, chosen);
    expect(JSON.parse(document)['@context']).toEqual(JSON.parse(joined.context));
    await expectSame(document, at(members, chosen));
    expect(eventText(joined, 'abc-2', chosen)).toBe(`event: update\nid: abc-2\ndata: ${document}\n\n`);
  }
});

test('only texts that rely on what is avoided are written again, once', () => {
  const odd = [':iri', '5', '"text"', ':other'].map((value, index) =>
    stating(`:member${index} :value ${value} ; :same :o .`, `http://x.example/member${index}`),
  );
  const texts = odd.map((member) => writer.text(member));
  const conflict = writer.join(texts);
  if (!('again' in conflict)) throw new Error('there is none');
  expect(conflict.again).toEqual([0, 3]);
  expect([...conflict.avoid.properties]).toEqual(['http://x.example/value']);
  for (const index of conflict.again) texts[index] = writer.text(odd[index] as Member, conflict.avoid);
  const made = writer.join(texts, [], conflict.avoid) as Joined;
  expect(Object.keys(JSON.parse(made.context))).toContain('http://x.example/same');
  expect(Object.keys(JSON.parse(made.context))).not.toContain('http://x.example/value');
});

test('a datatype in one text is no property with a type in another', async () => {
  const members = ['"a"^^:b', ':o'].map((value, index) =>
    stating(`:m${index} :${'ab'[index]} ${value} .`, `http://x.example/m${index}`),
  );
  const made = writer.joined(members);
  expect(JSON.parse(made.context)).toMatchObject({ 'http://x.example/a': { '@type': 'http://x.example/b' } });
  expect(Object.keys(JSON.parse(made.context))).not.toContain('http://x.example/b');
  await expectSame(documentText(made), members);
});

test.each([
  ['numbers and booleans need no type', ['5', 'true', '"x"'], undefined],
  ['whole numbers need the same as those with odd digits', ['5', '007'], 'xsd:integer'],
])('%s', async (_what, values, type) => {
  const odd = values.map((value, index) => stating(`:m${index} :value ${value} .`, `http://x.example/m${index}`));
  const texts = odd.map((member) => writer.text(member));
  const made = writer.join(texts) as Joined;
  expect(JSON.parse(made.context)['http://x.example/value']?.['@type']).toBe(type);
  await expectSame(documentText(made), odd);
});

test('members of one shape share what they need of a context', () => {
  const [one, , other] = members.map((member) => writer.text(member));
  expect(one?.needs).toBe(other?.needs);
});

test('members whose properties and datatypes hold commas do not take the needs of others', async () => {
  const twins = [':p "text"^^<http://x.example/q,@id>', '<http://x.example/p,http://x.example/q> :iri'].map(
    (value, index) => stating(`<${first.id}-${index}> ${value} .`, `${first.id}-${index}`),
  );
  await expectSame(documentText(new MemberWriter(description, streamPrefixes).joined(twins)), twins);
});

test('a document says its head too; one without members is its head alone', async () => {
  const head = [
    quad(namedNode(description.iri), namedNode(tree.view), namedNode(description.url)),
    quad(namedNode(description.url), namedNode(tree.member), namedNode('http://x.example/odd')),
    quad(namedNode(description.iri), namedNode(tree.member), namedNode('http://x.example/elsewhere')),
  ];
  for (const some of [members, []]) {
    const document = documentText(writer.joined(some, head));
    expect(await canonical(await parseQuads(document, 'jsonld', 'urn:unused:'))).toBe(
      await canonical([...head, ...memberQuads(description, some)]),
    );
  }
  expect(JSON.parse(documentText(writer.joined([])))).toEqual({ '@context': {}, '@id': description.iri });
});

test('a long document comes in parts', () => {
  const one = stating(`:m :p "${'text'.repeat(500)}" . :s :p :o .`, 'http://x.example/m');
  const made = writer.joined(Array.from({ length: 500 }, () => one));
  const parts = [...documentChunks(made)];
  expect(parts.length).toBeGreaterThan(2);
  for (const part of parts.slice(0, -1)) expect(part.length).toBeGreaterThanOrEqual(262_144);
  expect(parts.join('')).toBe(documentText(made));
  expect(JSON.parse(parts.join(''))['@graph'][0]['tree:member']).toHaveLength(500);
});

test('a member that states nothing is named', () => {
  const bare = new MemberWriter(description, {}).joined([stating('')]);
  expect(JSON.parse(documentText(bare))).toEqual({
    '@context': {},
    '@id': description.iri,
    [tree.member]: [{ '@id': first.id }],
  });
});

test('a term that JSON-LD cannot hold is refused, and an id with a line break', () => {
  const broken = { ...first, quads: [quad(namedNode('not absolute'), namedNode('urn:p'), namedNode('urn:o'))] };
  expect(() => writer.joined([...members, broken])).toThrow(expect.objectContaining({ code: 'ERR_TERM_UNSUPPORTED' }));
  expect(() => eventText(joined, 'abc\ndata: forged')).toThrow(
    expect.objectContaining({ code: 'ERR_SSE_FIELD_INVALID' }),
  );
});

// Terms of the generated quads, so that members and the stream are spoken of too.
const ids = ['ex:a', 'http://x.example/', 'http://x.example//a', 'urn:x:1', 'mailto:a@b.example', 'x:'];
const stream = fc.constantFrom(description.iri, ...ids).map((iri) => ({ ...description, iri }));

/** Members of a document, those of them that are chosen, and what the document says besides. */
function choices(doubles: boolean) {
  const ofQuads = fc.tuple(fc.constantFrom(...ids), quadsArbitrary({ graphs: true, doubles }));
  const head = quadsArbitrary({ graphs: false, doubles }).map((quads) =>
    quads.filter(({ subject, object }) => subject.termType === 'NamedNode' && object.termType !== 'BlankNode'),
  );
  return fc.uniqueArray(ofQuads, { minLength: 1, maxLength: 4, selector: ([id]) => id }).chain((drawn) => {
    const made = drawn.map(([id, quads], index): Member => {
      const sequence = index + 1;
      const time = '2026-01-01T00:00:00.000Z';
      return { id, entity: id, kind: 'upsert', sequence, time, quads: relabelBlankNodes(quads, sequence) };
    });
    const chosen = fc.subarray([...made.keys()], { minLength: 1 });
    return fc.record({ made: fc.constant(made), chosen, head: fc.oneof(fc.constant([]), head) });
  });
}

const FLOORS = { 'conflict of types': 180, 'clash of prefixes': 50, 'named graph': 300, 'shared blank node': 90 };

/** Notes which of the cases that joining is about this one is. */
function count(met: Floors<keyof typeof FLOORS>, made: readonly Member[], described: StreamDescription): void {
  const odd = new MemberWriter(described, oddPrefixes);
  const joinedAtOnce = odd.join(made.map((member) => odd.text(member)));
  if ('again' in joinedAtOnce && joinedAtOnce.avoid.properties.size > 0) met.count('conflict of types');
  if ('again' in joinedAtOnce && joinedAtOnce.avoid.prefixes.size > 0) met.count('clash of prefixes');
  const all = made.flatMap(({ quads }) => quads);
  if (all.some(({ graph }) => graph.termType !== 'DefaultGraph')) met.count('named graph');
  const blank = all.map(({ object }) => (object.termType === 'BlankNode' ? object.value : ''));
  if (blank.some((label, index) => label !== '' && blank.indexOf(label) !== index)) met.count('shared blank node');
}

// Without doubles, the text of which `jsonld` prints anew. Safe mode refuses whatever a processor would drop.
const readByOthers = async (document: string) => {
  const options = { format: 'application/n-quads', base: 'http://b.example/', safe: true } as const;
  return canonicalText((await jsonld.toRDF(JSON.parse(document), options)) as never);
};

test.each([
  ['our reader', true, 3000, async (text: string) => canonical(await parseQuads(text, 'jsonld', 'http://b.example/'))],
  ['any JSON-LD processor', false, 10_000, readByOthers],
] as const)(
  'PUSH-3 any members under one context are read back by %s, and nothing else',
  async (_who, doubles, numRuns, read) => {
    const met = new Floors(FLOORS);
    await check(
      fc.asyncProperty(choices(doubles), stream, async ({ made, chosen, head }, described) => {
        count(met, made, described);
        const document = documentText(new MemberWriter(described, oddPrefixes).joined(made, head), chosen);
        expect(await read(document)).toBe(await canonical([...head, ...memberQuads(described, at(made, chosen))]));
      }),
      { numRuns, gateRuns: 1000, met },
    );
  },
  120_000,
);

const NAME = namedNode('http://example.org/name');

function named(number: number, quads: readonly Quad[], hasText: boolean): Member {
  const { nquads: _, ...bare } = first;
  const member = { ...bare, id: `http://example.org/${number}`, sequence: number, quads };
  return hasText ? { ...member, nquads: writeQuads(quads, 'nquads', {}) } : member;
}

const object = fc.oneof(
  fc.string().map((text) => literal(text)),
  fc.constantFrom('" <a> .', '\\', ' <http://example.org/g> .', 'a\nb', '"').map((text) => literal(text)),
  fc.string().map((text) => languageLiteral(text, 'en')),
  fc.constant(namedNode('http://example.org/a')),
  fc.constant(blankNode('b0')),
);
const written = fc.array(
  object.map((said) => quad(namedNode('http://example.org/s'), NAME, said)),
  { minLength: 1, maxLength: 4 },
);

test('DOC-7 members whose lines exist are written as those without them are', () => {
  check(
    fc.property(fc.array(written, { maxLength: 4 }), (drawn) => {
      for (const format of ['nquads', 'ntriples'] as const) {
        const [bare, textual] = [false, true].map((hasText) =>
          drawn.map((quads, index) => named(index, quads, hasText)),
        ) as [Member[], Member[]];
        const expected = writeQuads(memberQuads(description, bare), format, {});
        expect(writeMembers(description, bare, format)).toBe(expected);
        expect(writeMembers(description, textual, format)).toBe(expected);
      }
    }),
  );
});

test('DOC-7 a member whose lines exist is not read', () => {
  const unreadable = Object.defineProperty(named(1, [], true), 'quads', { get: () => expect.fail('It was read') });
  expect(writeMembers(description, [unreadable], 'ntriples')).toContain('<http://example.org/1> .');
});

test.each([namedNode('http://example.org/g'), blankNode('g')])(
  'DOC-7 a member with a named graph is refused in N-Triples, lines or not, and written in N-Quads',
  (graph) => {
    // The last has a space beyond ASCII, which an IRI may have.
    const iris = ['http://example.org/o', 'http://example.org/a\u00a0b'].map(namedNode);
    for (const said of [literal('x " <a> .'), languageLiteral('x', 'en'), ...iris]) {
      for (const hasText of [false, true]) {
        const all = [named(1, [quad(namedNode('http://example.org/s'), NAME, said, graph)], hasText)];
        expect(() => writeMembers(description, all, 'ntriples')).toThrow(
          expect.objectContaining({ code: 'ERR_GRAPH_UNSUPPORTED' }),
        );
        expect(writeMembers(description, all, 'nquads')).toBe(writeQuads(memberQuads(description, all), 'nquads', {}));
      }
    }
  },
);
