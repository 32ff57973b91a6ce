import {
  CONTEXT,
  iri,
  PREFIXES,
  plain,
  reading,
  readings,
  rootPage,
  type Situation,
  sealed,
  situation,
  treePage,
} from './situation.ts';

function blankNodes(): Situation {
  const members = [
    reading(1, '2026-03-02T06:00:00Z', ' ; w:by [ w:name "Ann" ; w:with [ w:make "Rod" ] ] ; w:marks ( 1 2 )'),
    reading(2, '2026-03-02T07:00:00Z', ' ; w:by _:shared'),
    reading(3, '2026-03-02T08:00:00Z', ' ; w:by _:shared'),
  ];
  return situation(
    'members with blank nodes: nested, a list, and one that two members share',
    'stream',
    { stream: rootPage('stream', { members, more: '_:shared w:name "Bo" ; w:knows _:shared .' }) },
    members,
    { quads: { 'readings/1': 13, 'readings/2': 7, 'readings/3': 7 } },
  );
}

function namedGraphs(): Situation {
  const members = readings(1, 2, '2026-03-02T06:00:00Z');
  const graph = (number: number) => `GRAPH <${iri(`readings/${number}`)}> {
    <${iri('gauges/weir')}> w:state [ w:is "open" ] ; w:level ${number} . }`;
  const other = `GRAPH <${iri('elsewhere')}> { <${iri('readings/1')}> w:doubted true . }`;
  const body = rootPage('stream', { members, more: `${graph(1)}\n${graph(2)}\n${other}` });
  return situation(
    'members in named graphs: what stands in the graph that a member names is the member, what stands in others is not',
    'stream',
    { stream: { body, type: 'application/trig' } },
    members,
    { quads: { 'readings/1': 7, 'readings/2': 7 } },
  );
}

function withoutQuads(): Situation {
  const members = readings(1, 2, '2026-03-02T06:00:00Z');
  const more = `<${iri('stream')}> tree:member <${iri('readings/bare')}> .`;
  return situation(
    'a member of which the page says nothing, in a stream without times',
    'stream',
    { stream: treePage({ node: 'stream', view: 'stream', members, more }) },
    [...members, { path: 'readings/bare' }],
    { isOrdered: false, quads: { 'readings/1': 4, 'readings/bare': 0 } },
  );
}

function repeated(): Situation {
  const all = readings(1, 6, '2026-03-02T06:00:00Z');
  return situation(
    'members that stand on two pages, and twice on one',
    'stream',
    {
      stream: rootPage('stream', {
        members: all.slice(0, 2),
        relations: plain('stream/2', 'stream/3'),
        more: `<${iri('stream')}> tree:member <${iri('readings/1')}> .`,
      }),
      'stream/2': treePage({ node: 'stream/2', members: all.slice(1, 4) }),
      'stream/3': treePage({ node: 'stream/3', members: all.slice(2) }),
    },
    all,
  );
}

function transaction(): Situation {
  const at = '2026-03-02T06:00:00Z';
  const members = [
    reading(1, at, ' ; w:batch "a" ; w:isLast false'),
    reading(2, at, ' ; w:batch "a" ; w:isLast false'),
    reading(3, at, ' ; w:batch "a" ; w:isLast true'),
    reading(4, '2026-03-02T07:00:00Z', ' ; w:batch "b" ; w:isLast false'),
    reading(5, '2026-03-02T07:00:00Z', ' ; w:batch "b" ; w:isLast true'),
  ];
  const [first, second, last, ...others] = members as [(typeof members)[0], (typeof members)[0], (typeof members)[0]];
  const more = `<${iri('stream')}> ldes:transactionPath w:batch ; ldes:transactionFinalizedPath w:isLast ;
    ldes:transactionFinalizedObject true .`;
  return situation(
    'transactions: the member that ends one comes last, though it stands first',
    'stream',
    { stream: sealed(rootPage('stream', { members: [last, first, ...others.toReversed(), second], more })) },
    members,
    { isFinished: true },
  );
}

/** A page in each format, in a chain; none says more than the others. */
function formats(): Situation {
  const turtle = readings(1, 1, '2026-03-02T01:00:00Z');
  const trig = readings(2, 1, '2026-03-02T02:00:00Z');
  const lines = (number: number) => [
    [`<${iri('stream')}>`, '<https://w3id.org/tree#member>', `<${iri(`readings/${number}`)}>`],
    [`<${iri(`readings/${number}`)}>`, '<https://water.example/ns#gauge>', `<${iri('gauges/weir')}>`],
    [
      `<${iri(`readings/${number}`)}>`,
      '<https://water.example/ns#read>',
      `"2026-03-02T0${number}:00:00Z"^^<http://www.w3.org/2001/XMLSchema#dateTime>`,
    ],
    [`<${iri(`pages/${number}`)}>`, '<https://w3id.org/tree#relation>', '_:next'],
    ['_:next', '<https://w3id.org/tree#node>', `<${iri(`pages/${number + 1}`)}>`],
  ];
  const text = (number: number, graph = '') =>
    lines(number)
      .map(([subject, predicate, object]) => {
        const isPayload = graph !== '' && predicate === '<https://water.example/ns#gauge>';
        return `${subject} ${predicate} ${object}${isPayload ? ` ${graph}` : ''} .\n`;
      })
      .join('');
  const jsonld = {
    '@context': {
      '@vocab': 'https://water.example/ns#',
      tree: 'https://w3id.org/tree#',
      gauge: { '@type': '@id' },
      read: { '@type': 'http://www.w3.org/2001/XMLSchema#dateTime' },
    },
    '@id': iri('stream'),
    'tree:member': { '@id': iri('readings/5'), gauge: iri('gauges/lock'), read: '2026-03-02T05:00:00Z' },
  };
  return situation(
    'the five formats, a page in each',
    'pages/1',
    {
      'pages/1': rootPage('pages/1', { members: turtle, relations: plain('pages/2') }),
      'pages/2': {
        type: 'application/trig; charset=utf-8',
        body: treePage({ node: 'pages/2', members: trig, relations: plain('pages/3') }),
      },
      'pages/3': { type: 'application/n-triples', body: text(3) },
      'pages/4': {
        type: 'application/n-quads;profile="https://w3id.org/tree/profile"',
        body: text(4, `<${iri('readings/4')}>`),
      },
      'pages/5': { type: 'application/ld+json', body: JSON.stringify(jsonld) },
    },
    [1, 2, 3, 4, 5].map((number) => ({ path: `readings/${number}` })),
  );
}

function relativeIris(): Situation {
  const member = (number: number) =>
    `<../readings/${number}> w:gauge <../gauges/weir> ; w:read "2026-03-02T0${number}:00:00Z"^^xsd:dateTime .`;
  const page = (statements: string) => `${PREFIXES}${statements}`;
  return situation(
    'relative IRIs, of pages in another folder, one with a base of its own',
    'deep/root',
    {
      'deep/root': page(`<../stream> ${CONTEXT} ; tree:view <> ; tree:member <../readings/1> .
        <> tree:relation [ tree:node <next?page=2> ] . ${member(1)}`),
      'deep/next?page=2': page(`<../stream> tree:member <../readings/2> .
        <> tree:relation [ tree:node <../pages/4> ] . ${member(2)}`),
      'pages/4': page(`@base <${iri('pages/a/b')}> .
        <../../stream> tree:member <../../readings/3> .
        <../../readings/3> w:gauge <../../gauges/weir> ; w:read "2026-03-02T03:00:00Z"^^xsd:dateTime .`),
    },
    [1, 2, 3].map((number) => ({ path: `readings/${number}` })),
  );
}

/** What members look like. */
export const memberSituations: readonly Situation[] = [
  blankNodes(),
  namedGraphs(),
  withoutQuads(),
  repeated(),
  transaction(),
  formats(),
  relativeIris(),
];
