import { blankNode, literal, namedNode, quad, tree, xsd } from '@ldes-live/rdf-stream';
import { canonical } from '@ldes-live/test-support/rdf';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
import {
  extractMembers,
  type Format,
  formats,
  memberQuads,
  parseQuads,
  type StreamContext,
  writeQuads,
} from '../src/index.ts';
import { commitOf, description, end, streamPrefixes, vehicle } from './sample-stream.ts';

const url = `${description.url}/pages/0`;
const context: StreamContext = {
  stream: 'http://x.example/S',
  timestampPath: 'http://x.example/time',
  versionOfPath: 'http://x.example/of',
  sequencePath: 'http://x.example/sequence',
  versionTimestampPath: 'http://x.example/made',
  versionDeleteObject: 'http://x.example/Gone',
};
const head = `@prefix tree: <https://w3id.org/tree#> . @prefix ex: <http://x.example/> .
  @prefix xsd: <http://www.w3.org/2001/XMLSchema#> .`;

function essentials(sequence: number): string {
  return `ex:sequence ${sequence} ; ex:of ex:e ; ex:time "2026-01-01T00:00:00Z"^^xsd:dateTime`;
}

async function extract(trig: string): Promise<ReturnType<typeof extractMembers>> {
  return extractMembers(await parseQuads(`${head}\n${trig}`, 'trig', 'http://x.example/'), context);
}

test.each(Object.keys(formats) as Format[])(
  'DOC-7 the members of a page in %s are those that were published',
  async (format) => {
    const { members } = commitOf([vehicle('1'), end('2'), vehicle('3')]);
    const quads = memberQuads(description, members);
    const own: StreamContext = {
      stream: description.iri,
      timestampPath: 'http://www.w3.org/ns/prov#generatedAtTime',
      versionOfPath: 'http://purl.org/dc/terms/isVersionOf',
      sequencePath: description.sequencePath,
      versionTimestampPath: 'http://www.w3.org/ns/sosa/resultTime',
      versionDeleteObject: 'https://www.w3.org/ns/activitystreams#Delete',
    };
    const read = extractMembers(await parseQuads(writeQuads(quads, format, streamPrefixes), format, url), own);
    const plain = (member: (typeof members)[number]) => ({ ...member, quads: member.quads.length });
    expect(read.map(plain)).toEqual(members.map(plain));
    for (const [index, member] of members.entries()) {
      expect(await canonical(read[index]?.quads ?? [])).toBe(await canonical(member.quads));
    }
  },
);

test('members come by sequence, each once', async () => {
  const members = await extract(`
    ex:S tree:member ex:m10, ex:m9 . ex:m9 ${essentials(9)} . ex:m10 ${essentials(10)} .
    ex:S tree:member ex:m9 . ex:T tree:member ex:other .`);
  expect(members.map(({ id, sequence }) => [id, sequence])).toEqual([
    ['http://x.example/m9', 9],
    ['http://x.example/m10', 10],
  ]);
});

test('DOC-20 a member has its star, its graph and what nodes lead to, once each, and nothing else', async () => {
  const [member, ...more] = await extract(`
    ex:S tree:member ex:m .
    ex:S tree:member ex:m2 . ex:m2 ${essentials(2)} .
    ex:m a ex:Class ; ${essentials(1)} ; ex:p [ ex:q _:loop ] ; ex:link ex:other, ex:m2, ex:page .
    ex:other ex:p [ ex:link ex:further ] . ex:further ex:link ex:other, ex:m ; ex:p "followed" .
    ex:page tree:relation [] . ex:Class ex:p "a class" . ex:e ex:p "the entity" . ex:apart ex:p "nobody leads here" .
    ex:m { ex:m ex:p _:inside . ex:e ex:p "in the graph of the member" . _:inside ex:p _:inside2 }
    ex:g { _:loop ex:p _:loop, _:inside . ex:m ex:p "in another graph" }
  `);
  expect(more.map(({ id }) => id)).toEqual(['http://x.example/m2']);
  expect(await canonical(member?.quads ?? [])).toBe(
    await canonical(
      await parseQuads(
        `${head} ex:m a ex:Class ; ${essentials(1)} ; ex:p [ ex:q _:loop ] ; ex:link ex:other, ex:m2, ex:page .
        ex:other ex:p [ ex:link ex:further ] . ex:further ex:link ex:other, ex:m ; ex:p "followed" .
        ex:m { ex:m ex:p _:inside . ex:e ex:p "in the graph of the member" . _:inside ex:p _:inside2 }
        ex:g { _:loop ex:p _:loop, _:inside }`,
        'trig',
        'http://x.example/',
      ),
    ),
  );
});

test('a member may say everything in its graph', async () => {
  const [member] = await extract(`
    ex:S tree:member ex:m . ex:m { ex:m a ex:Gone ; ${essentials(1)} ; ex:made "2025-12-31T00:00:00Z"^^xsd:dateTime }`);
  expect(member).toMatchObject({
    kind: 'delete',
    entity: 'http://x.example/e',
    time: '2026-01-01T00:00:00Z',
    versionTime: '2025-12-31T00:00:00Z',
  });
});

test('DOC-20 blank nodes are renamed uniquely in the stream, also where members share them', async () => {
  const members = await extract(`
    ex:S tree:member ex:m1, ex:m2 . ex:m1 ${essentials(1)} ; ex:p _:shared, _:b . ex:m2 ${essentials(2)} ; ex:p _:shared .
    _:shared ex:q "x" . _:b ex:q _:shared .`);
  const labels = members.map(({ quads }) => [
    ...new Set(
      quads
        .flatMap(({ subject, object }) => [subject, object])
        .filter(({ termType }) => termType === 'BlankNode')
        .map(({ value }) => value),
    ),
  ]);
  expect(labels).toEqual([['m1b0', 'm1b1'], ['m2b0']]);
});

test.each([
  ['sequence', essentials(1).replace('ex:sequence 1 ;', '')],
  ['sequence', `${essentials(1)} ; ex:sequence 2`],
  ['sequence', essentials(1).replace('ex:sequence 1', 'ex:sequence -1')],
  ['sequence', essentials(1).replace('ex:sequence 1', 'ex:sequence 9007199254740993')],
  ['of', essentials(1).replace('ex:of ex:e', 'ex:of "e"')],
  ['of', essentials(1).replace('ex:of ex:e ;', '')],
  ['time', essentials(1).replace('2026-01-01T', 'January 1 ')],
  ['time', essentials(1).replace('2026-01-01T', '2026-13-01T')],
  ['made', `${essentials(1)} ; ex:made "yesterday"`],
])('DOC-20 a member without a valid %s is refused by name', async (property, stated) => {
  await expect(extract(`ex:S tree:member ex:m . ex:m ${stated} .`)).rejects.toMatchObject({
    code: 'ERR_MEMBER_MALFORMED',
    details: { member: 'http://x.example/m', problem: expect.stringContaining(`http://x.example/${property}`) },
  });
});

test('a member that is no IRI is refused', async () => {
  await expect(extract('ex:S tree:member [ ex:p 1 ] .')).rejects.toMatchObject({ code: 'ERR_MEMBER_MALFORMED' });
});

function statements(member: string, sequence: number): Quad[] {
  const subject = namedNode(member);
  return [
    quad(namedNode(context.stream), namedNode(tree.member), subject),
    quad(subject, namedNode(context.sequencePath), literal(String(sequence), xsd.integer)),
    quad(subject, namedNode(context.versionOfPath), namedNode('http://x.example/e')),
    quad(subject, namedNode(context.timestampPath), literal('2026-01-01T00:00:00.000Z', xsd.dateTime)),
  ];
}

test('limitQuads bounds all members together, shared blank nodes counted for each', () => {
  const shared = blankNode('shared');
  const inside = Array.from({ length: 100 }, (_, index) =>
    quad(shared, namedNode('http://x.example/p'), literal(String(index))),
  );
  const quads = ['http://x.example/1', 'http://x.example/2'].flatMap((id, index) => [
    ...statements(id, index + 1),
    quad(namedNode(id), namedNode('http://x.example/p'), shared),
  ]);
  const document = [...quads, ...inside];
  expect(extractMembers(document, context, { limitQuads: 208 })).toHaveLength(2);
  expect(() => extractMembers(document, context, { limitQuads: 207 })).toThrow(
    expect.objectContaining({ code: 'ERR_MEMBERS_TOO_LARGE', details: { limitQuads: 207 } }),
  );
});

test('the quads of a large document are each looked at a few times, not once for each member', () => {
  let reads = 0;
  const get = (target: Quad, key: string | symbol) => {
    if (key === 'subject') reads += 1;
    return Reflect.get(target, key);
  };
  const ids = Array.from({ length: 5000 }, (_, index) => `http://x.example/m${index}`);
  const document = ids.flatMap((id, index) => statements(id, index + 1)).map((one) => new Proxy(one, { get }));
  expect(extractMembers(document, context)).toHaveLength(ids.length);
  expect(reads).toBeLessThan(20 * document.length);
});
