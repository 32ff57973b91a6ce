import {
  dateTime,
  iri,
  PREFIXES,
  plain,
  type Relation,
  reading,
  readings,
  rootPage,
  type Situation,
  sealed,
  situation,
  type TreePage,
  treePage,
} from './situation.ts';

const SHAPE = `<${iri('stream')}> tree:shape [ a sh:NodeShape ; sh:targetClass w:Reading ;
  sh:property [ sh:path w:read ; sh:datatype xsd:dateTime ],
    [ sh:path w:at ; sh:node [ a sh:NodeShape ; sh:targetClass w:Place ] ] ] .`;

function unknownRelations(): Situation {
  const [first, second, third] = [
    readings(1, 3, '2026-03-02T09:00:00Z'),
    readings(4, 3, '2026-03-02T09:35:00Z', 8),
    readings(7, 6, '2026-03-02T10:00:00Z', 5),
  ];
  const page = (node: string, parts: Partial<TreePage>) => treePage({ view: 'root', hasContext: true, node, ...parts });
  const hours = (to: string, value: string) =>
    `<${iri('root')}> tree:relation [ a w:HourRelation ; tree:node <${iri(to)}> ; tree:path w:read ; tree:value "${value}" ] .`;
  return situation(
    'atypical: relations of a type that nobody knows, nodes without members on the way, a chain below one of them',
    'stream',
    {
      stream: page('stream', {}),
      root: page('root', { more: hours('hour/9', '2026-03-02T09') + hours('hour/10', '2026-03-02T10') }),
      'hour/9': page('hour/9', { relations: plain('hour/9/1') }),
      'hour/9/1': page('hour/9/1', { members: first, relations: plain('hour/9/2') }),
      'hour/9/2': page('hour/9/2', { members: second }),
      'hour/10': page('hour/10', { members: third }),
    },
    [...first, ...second, ...third],
  );
}

function shapes(): Situation {
  const members = [1, 2, 3].map((number) =>
    reading(number, `2026-03-02T0${number}:00:00Z`, ` ; w:at <${iri(`places/${number % 2}`)}>`),
  );
  return situation(
    'shapes: on the page, and members that refer to other nodes of it, which are not theirs',
    'stream',
    {
      stream: rootPage('stream', {
        members,
        more: `${SHAPE}\n<${iri('places/0')}> a w:Place ; w:name "Weir" . <${iri('places/1')}> a w:Place ; w:name "Lock" .`,
      }),
    },
    members,
    { quads: { 'readings/1': 5, 'readings/2': 5 } },
  );
}

function shapesElsewhere(): Situation {
  const [first, second] = [1, 2].map((page) =>
    [1, 2, 3].map((number) =>
      reading(page * 10 + number, `2026-03-0${page}T0${number}:00:00Z`, ` ; w:at <${iri(`places/${number}.ttl`)}>`),
    ),
  ) as [ReturnType<typeof readings>, ReturnType<typeof readings>];
  const place = (number: number) =>
    `${PREFIXES}<${iri(`places/${number}.ttl`)}> a w:Place ; w:name "Place ${number}" .`;
  return situation(
    'shapes: of documents of their own, as are the nodes that members refer to; both are for whoever wants them',
    'stream',
    {
      stream: rootPage('stream', {
        members: first,
        relations: plain('stream/2'),
        more: `<${iri('stream')}> tree:shape <${iri('shapes/partial')}> .`,
      }),
      'stream/2': treePage({
        node: 'stream/2',
        members: second,
        more: `<${iri('stream')}> tree:shape <${iri('shapes/full')}> .`,
      }),
      'shapes/partial': `${PREFIXES}[] a sh:NodeShape ; sh:targetClass w:Reading .`,
      'shapes/full': `${PREFIXES}${SHAPE.replace(/^.*?\[/, '[]').replace(/\] \.$/, '.')}`,
      'places/1.ttl': place(1),
      'places/2.ttl': place(2),
      'places/3.ttl': place(3),
    },
    [...first, ...second],
    { unasked: ['shapes/partial', 'shapes/full', 'places/1.ttl'], quads: { 'readings/11': 5, 'readings/23': 5 } },
  );
}

function dump(): Situation {
  const members = readings(1, 40, '2026-03-02T06:00:00Z');
  const policy = `<${iri('dump')}> ldes:retentionPolicy [ a ldes:LatestVersionSubset ; ldes:amount 1 ;
    ldes:versionKey ( w:gauge ) ] .`;
  return situation(
    'a dump: one document with every member, whose node states an old kind of retention',
    'dump',
    { dump: sealed(rootPage('dump', { members, more: policy })) },
    members,
    { isFinished: true },
  );
}

function otherPaths(): Situation {
  const [low, high] = [
    [reading(1, '2026-03-02T06:00:00Z'), reading(3, '2026-03-02T08:00:00Z')],
    [reading(2, '2026-03-02T07:00:00Z'), reading(4, '2026-03-02T09:00:00Z')],
  ];
  const bound = (to: string, type: string, value: string): Relation => ({ to, type, value, path: 'w:level' });
  return situation(
    'relations on another property than the time: they bound no times and order nothing',
    'levels',
    {
      levels: rootPage('levels', {
        relations: [
          bound('levels/high', 'GreaterThanOrEqualTo', '200'),
          bound('levels/low', 'LessThan', '200'),
          // As if it were a time: a reader that looks at the value alone would leave the page out.
          bound('levels/low', 'LessThan', dateTime('1999-01-01T00:00:00Z')),
        ],
      }),
      'levels/high': treePage({ node: 'levels/high', members: high }),
      'levels/low': treePage({ node: 'levels/low', members: low }),
    },
    [...low, ...high].toSorted((left, right) => left.time.localeCompare(right.time)),
    { request: { after: '2026-01-01T00:00:00Z' } },
  );
}

function geospatial(): Situation {
  const [west, east, named] = [
    readings(1, 2, '2026-03-02T06:00:00Z'),
    readings(3, 2, '2026-03-02T07:00:00Z'),
    readings(5, 2, '2026-03-02T08:00:00Z'),
  ];
  const tile = (to: string, edge: number): Relation => ({
    to,
    type: 'GeospatiallyContains',
    path: 'w:position',
    value: `"POLYGON((${edge} 50, ${edge + 1} 50, ${edge + 1} 51, ${edge} 51, ${edge} 50))"^^<http://www.opengis.net/ont/geosparql#wktLiteral>`,
  });
  return situation(
    'relations by place and by text',
    'map',
    {
      map: rootPage('map', {
        relations: [
          tile('map/west', 3),
          tile('map/east', 4),
          { to: 'map/w', type: 'Prefix', path: 'w:name', value: '"W"' },
          { to: 'map/w', type: 'Substring', path: 'w:name', value: '"ei"' },
        ],
        more: `<${iri('map')}> tree:remainingItems 6 .`,
      }),
      'map/west': treePage({ node: 'map/west', members: west }),
      'map/east': treePage({ node: 'map/east', members: east }),
      'map/w': treePage({ node: 'map/w', members: named }),
    },
    [...west, ...east, ...named],
  );
}

/** Trees that are laid out in ways of their own. */
export const unusualSituations: readonly Situation[] = [
  unknownRelations(),
  shapes(),
  shapesElsewhere(),
  dump(),
  otherPaths(),
  geospatial(),
];
