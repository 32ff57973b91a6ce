import { canonical } from '@ldes-live/test-support/rdf';
import type { Quad } from '@rdfjs/types';
import { Parser } from 'n3';
import { describe, expect, test } from 'vitest';
import {
  type Format,
  formats,
  memberQuads,
  parseQuads,
  readMembers,
  readStreamContext,
  rootQuads,
  type StreamContext,
  writeQuads,
} from '../src/index.ts';
import { commitOf, description, end, streamPrefixes, vehicle } from './sample-stream.ts';

const url = 'http://x.example/root';
const context: StreamContext = {
  stream: 'http://x.example/S',
  timestampPath: 'http://x.example/time',
  versionOfPath: 'http://x.example/of',
  sequencePath: 'http://x.example/sequence',
  versionTimestampPath: 'http://x.example/made',
  versionDeleteObject: 'http://x.example/Gone',
};
const names = Object.keys(formats) as Format[];

/** Quads of TriG. */
function quadsOf(trig: string): Quad[] {
  const prefixes = { ex: 'http://x.example/', ...streamPrefixes };
  const head = Object.entries(prefixes).map(([prefix, namespace]) => `@prefix ${prefix}: <${namespace}> .`);
  return new Parser({ format: 'trig', baseIRI: url }).parse([...head, trig].join('\n'));
}

function essentials(sequence: number): string {
  return `ex:sequence ${sequence} ; ex:of ex:e ; ex:time "2026-01-01T00:00:00Z"^^xsd:dateTime`;
}

function extract(trig: string): ReturnType<typeof readMembers> {
  return readMembers(quadsOf(trig), context);
}

test.each(names)('DOC-7 a context and members in %s are read as they were published', async (format) => {
  const { members } = commitOf([vehicle('1'), end('2'), vehicle('3')]);
  const quads = [
    ...rootQuads(description, { ranges: [], pollingIntervalSeconds: 20 }),
    ...memberQuads(description, members),
  ];
  const read = await parseQuads(writeQuads(quads, format, streamPrefixes), format, description.url);
  const own = readStreamContext(read, description.url);
  expect(own).toEqual({
    stream: description.iri,
    timestampPath: 'http://www.w3.org/ns/prov#generatedAtTime',
    versionOfPath: 'http://purl.org/dc/terms/isVersionOf',
    sequencePath: description.sequencePath,
    versionTimestampPath: 'http://www.w3.org/ns/sosa/resultTime',
    versionDeleteObject: 'https://www.w3.org/ns/activitystreams#Delete',
    pollingIntervalSeconds: 20,
  });
  const extracted = readMembers(read, own);
  const plain = (member: (typeof members)[number]) => ({ ...member, quads: member.quads.length });
  expect(extracted.map(plain)).toEqual(members.map(plain));
  for (const [index, member] of members.entries()) {
    expect(await canonical(extracted[index]?.quads ?? [])).toBe(await canonical(member.quads));
  }
});

test('members come by sequence, each once', () => {
  const members = extract(`
    ex:S tree:member ex:m10, ex:m9 . ex:m9 ${essentials(9)} . ex:m10 ${essentials(10)} .
    ex:S tree:member ex:m9 . ex:T tree:member ex:other .`);
  expect(members.map(({ id, sequence }) => [id, sequence])).toEqual([
    ['http://x.example/m9', 9],
    ['http://x.example/m10', 10],
  ]);
});

test('DOC-20 a member has its star, its graph and what nodes lead to, once each, and nothing else', async () => {
  const [member, ...more] = extract(`
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
      quadsOf(
        `ex:m a ex:Class ; ${essentials(1)} ; ex:p [ ex:q _:loop ] ; ex:link ex:other, ex:m2, ex:page .
        ex:other ex:p [ ex:link ex:further ] . ex:further ex:link ex:other, ex:m ; ex:p "followed" .
        ex:m { ex:m ex:p _:inside . ex:e ex:p "in the graph of the member" . _:inside ex:p _:inside2 }
        ex:g { _:loop ex:p _:loop, _:inside }`,
      ),
    ),
  );
});

test('a member may say everything in its graph', () => {
  const [member] = extract(`
    ex:S tree:member ex:m . ex:m { ex:m a ex:Gone ; ${essentials(1)} ; ex:made "2025-12-31T00:00:00Z"^^xsd:dateTime }`);
  expect(member).toMatchObject({
    kind: 'delete',
    entity: 'http://x.example/e',
    time: '2026-01-01T00:00:00Z',
    versionTime: '2025-12-31T00:00:00Z',
  });
});

test('DOC-20 blank nodes are renamed uniquely in the stream, also where members share them', () => {
  const members = extract(`
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
])('DOC-20 a member without a valid %s is refused by name', (property, stated) => {
  expect(() => extract(`ex:S tree:member ex:m . ex:m ${stated} .`)).toThrow(
    expect.objectContaining({
      code: 'ERR_MEMBER_MALFORMED',
      details: { member: 'http://x.example/m', problem: expect.stringContaining(`http://x.example/${property}`) },
    }),
  );
});

test('a member that is no IRI is refused', () => {
  expect(() => extract('ex:S tree:member [ ex:p 1 ] .')).toThrow(
    expect.objectContaining({ code: 'ERR_MEMBER_MALFORMED' }),
  );
});

test('limitQuads bounds all members together, shared blank nodes counted for each', () => {
  const inside = Array.from({ length: 100 }, (_, index) => `"${index}"`).join();
  const document = quadsOf(`
    ex:S tree:member ex:m1, ex:m2 . ex:m1 ${essentials(1)} ; ex:p _:shared . ex:m2 ${essentials(2)} ; ex:p _:shared .
    _:shared ex:p ${inside} .`);
  expect(readMembers(document, context, { limitQuads: 208 })).toHaveLength(2);
  expect(() => readMembers(document, context, { limitQuads: 207 })).toThrow(
    expect.objectContaining({ code: 'ERR_MEMBERS_TOO_LARGE', details: { limitQuads: 207 } }),
  );
});

test('the quads of a large document are each looked at a few times, not once for each member', () => {
  let reads = 0;
  const get = (target: Quad, key: string | symbol) => {
    if (key === 'subject') reads += 1;
    return Reflect.get(target, key);
  };
  const members = Array.from(
    { length: 5000 },
    (_, index) => `ex:S tree:member ex:m${index} . ex:m${index} ${essentials(index)} .`,
  );
  const document = quadsOf(members.join('\n')).map((one) => new Proxy(one, { get }));
  expect(readMembers(document, context)).toHaveLength(members.length);
  expect(reads).toBeLessThan(20 * document.length);
});

describe('the context of a stream', () => {
  const paths = 'ldes:timestampPath ex:time ; ldes:versionOfPath ex:of ; ldes:sequencePath ex:sequence';
  const read = (turtle: string) => readStreamContext(quadsOf(turtle), url);

  test.each([
    ['ex:S tree:view <> ; $ .'],
    ['ex:S tree:view <> . <> $ .'],
    ['ex:S tree:view <> . <> tree:viewDescription ex:V . ex:V $ .'],
    ['ex:S tree:view <> . <> tree:viewDescription [ $ ] .'],
    ['ex:S tree:view <> ; tree:view ex:elsewhere ; $ . ex:T tree:view ex:elsewhere ; ldes:timestampPath ex:other .'],
    ['ex:S tree:view <>, <> ; $ ; ldes:timestampPath ex:time ; ldes:pollingInterval "often" .'],
    ['ex:S tree:view <> ; ldes:versionDeleteObject ex:Gone ; $ .', 'http://x.example/Gone'],
  ])('is found wherever it may stand: %s', (turtle, deleted = 'https://www.w3.org/ns/activitystreams#Delete') => {
    const { versionTimestampPath, ...found } = { ...context, versionDeleteObject: deleted };
    expect(read(turtle.replace('$', paths))).toEqual(found);
  });

  test.each([
    ['of the view of nothing', `ex:S tree:view ex:elsewhere ; ${paths} .`, 'ERR_VIEW_NOT_FOUND', { url }],
    [
      'of the view of several streams',
      `ex:S tree:view <> ; ${paths} . ex:T tree:view <> .`,
      'ERR_VIEW_AMBIGUOUS',
      { streams: ['http://x.example/S', 'http://x.example/T'] },
    ],
    ...['', 'ex:a, ex:b', '( ex:a ex:b )', '"time"'].map(
      (path) =>
        [
          `with ${path || 'nothing'} as a path`,
          `ex:S tree:view <> ; ${path && `ldes:timestampPath ${path} ;`} ldes:versionOfPath ex:of .`,
          'ERR_STREAM_CONTEXT_INCOMPLETE',
          { stream: 'http://x.example/S', property: 'https://w3id.org/ldes#timestampPath' },
        ] as const,
    ),
  ] as const)('is refused %s', (_what, turtle, code, details) => {
    expect(() => read(turtle)).toThrow(expect.objectContaining({ code, details: expect.objectContaining(details) }));
  });
});

test('DOC-20 a node that many members lead to is in each of them once, however often its page states it', () => {
  const zone = 'ex:zone a ex:Zone ; ex:label "North"@nl .';
  const member = (sequence: number) => `ex:S tree:member ex:m${sequence} .
    ex:m${sequence} ${essentials(sequence)} ; ex:in ex:zone . ${zone}`;
  const members = extract([1, 2, 3, 4].map(member).join('\n'));
  expect(members.map(({ quads }) => quads.length)).toEqual([6, 6, 6, 6]);
});
