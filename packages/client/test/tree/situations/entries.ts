import {
  type Answer,
  iri,
  PREFIXES,
  plain,
  readings,
  rootPage,
  type Situation,
  sealed,
  situation,
  span,
  type TreePage,
  treePage,
  type WaterReading,
} from './situation.ts';

const redirect = (status: number, location: string): Answer => ({ status, headers: { location } });

function redirects(): Situation {
  const [first, second, third, fourth] = [1, 2, 3, 4].map((number) =>
    readings(number, 1, `2026-03-02T0${number}:00:00Z`),
  ) as [WaterReading[], WaterReading[], WaterReading[], WaterReading[]];
  const here = `${PREFIXES}<${iri('stream')}> tree:view <> ; ldes:timestampPath w:read ; ldes:versionOfPath w:gauge ;
    tree:member <${iri('readings/1')}> . <> tree:relation [ tree:node <../old/2> ], [ tree:node <../old/3> ] .
    ${first[0]?.turtle}`;
  return situation(
    'redirects: of the root, so that its IRIs are relative to where it leads, and of pages, for now and for ever',
    'old/root',
    {
      'old/root': redirect(303, '../new/entry'),
      'new/entry': redirect(302, iri('new/root')),
      'new/root': here,
      'old/2': redirect(301, '../moved/2'),
      'old/3': redirect(307, '../moved/3'),
      'moved/2': treePage({ node: 'moved/2', members: second, relations: plain('old/4') }),
      'moved/3': treePage({ node: 'moved/3', members: third }),
      'old/4': redirect(308, '../moved/4'),
      'moved/4': treePage({ node: 'moved/4', members: fourth }),
    },
    [...first, ...second, ...third, ...fourth],
  );
}

function goneNodes(): Situation {
  const [kept, newer] = [readings(5, 2, '2026-03-03T06:00:00Z'), readings(7, 2, '2026-03-04T06:00:00Z')];
  return situation(
    'a node that is gone for good: 410 is an empty page',
    'root',
    {
      root: rootPage('root', {
        relations: [
          ...span('root/2', '2026-03-02T00:00:00Z', '2026-03-03T00:00:00Z'),
          ...span('root/3', '2026-03-03T00:00:00Z', '2026-03-04T00:00:00Z'),
          ...span('root/4', '2026-03-04T00:00:00Z', '2026-03-05T00:00:00Z'),
        ],
      }),
      'root/2': { status: 410, type: 'application/problem+json', body: '{"status":410}' },
      'root/3': sealed(treePage({ node: 'root/3', members: kept })),
      'root/4': treePage({ node: 'root/4', members: newer }),
    },
    [...kept, ...newer],
  );
}

const few = readings(1, 2, '2026-03-02T06:00:00Z');
const root = (others: Partial<TreePage> = {}) => rootPage('root', { members: few, ...others });

const overview = situation(
  'an overview of one view, of a stream whose IRI has a fragment',
  'catalogue#stream',
  {
    catalogue: `${PREFIXES}<${iri('catalogue')}> a <http://www.w3.org/ns/dcat#Catalog> .
      <${iri('catalogue#stream')}> a ldes:EventStream ; tree:view <${iri('root')}> .`,
    root: root({ stream: 'catalogue#stream' }),
  },
  few,
);

const refused = (name: string, pages: Record<string, string>, code: string): Situation =>
  situation(name, 'stream', pages, [], { refused: code, isOrdered: false });

const ambiguous: readonly Situation[] = [
  refused(
    'an overview of two views: the reader has to choose',
    {
      stream: `${PREFIXES}<${iri('stream')}> tree:view <${iri('root')}>, <${iri('map')}> .`,
      root: root(),
      map: root(),
    },
    'ERR_TREE_VIEW_AMBIGUOUS',
  ),
  refused(
    'a node that is the view of two streams',
    { stream: `${PREFIXES}<${iri('a')}> tree:view <${iri('stream')}> . <${iri('b')}> tree:view <${iri('stream')}> .` },
    'ERR_TREE_VIEW_AMBIGUOUS',
  ),
  refused(
    'a document that is no view and leads to none',
    { stream: `${PREFIXES}<${iri('stream')}> a ldes:EventStream .` },
    'ERR_TREE_VIEW_MISSING',
  ),
];

const search = situation(
  'a search form beside the relations: a form is no node',
  'root',
  {
    root: root({
      relations: plain('root/2'),
      more: `@prefix hydra: <http://www.w3.org/ns/hydra/core#> .
        <${iri('root')}> tree:search [ a hydra:IriTemplate ; hydra:template "${iri('search')}{?q}" ;
          hydra:mapping [ hydra:variable "q" ; tree:path w:level ; hydra:required true ] ] .`,
    }),
    'root/2': treePage({ node: 'root/2', members: readings(3, 2, '2026-03-02T07:00:00Z') }),
  },
  [...few, ...readings(3, 2, '2026-03-02T07:00:00Z')],
  { unasked: ['search'] },
);

function eventSource(name: string, policy: string): Situation {
  const description = `<${iri('root')}> tree:viewDescription <${iri('root#source')}> .
    <${iri('root#source')}> a ldes:EventSource ; <http://www.w3.org/ns/dcat#title> "Levels" ; ${policy} .`;
  return situation(name, 'root', { root: sealed(root({ more: description })) }, few, { isFinished: true });
}

const retention: readonly Situation[] = [
  eventSource(
    'an event source with the retention terms of today',
    `ldes:retentionPolicy <${iri('root#kept')}> .
     <${iri('root#kept')}> a ldes:RetentionPolicy ; ldes:startingFrom "2026-01-01T00:00:00Z"^^xsd:dateTime ;
       ldes:fullLogDuration "P1Y"^^xsd:duration ; ldes:versionAmount 3 ; ldes:versionDuration "P10Y"^^xsd:duration ;
       ldes:versionDeleteDuration "P30D"^^xsd:duration`,
  ),
  ...[
    'ldes:DurationAgoPolicy ; tree:value "P1Y"^^xsd:duration',
    'ldes:LatestVersionSubset ; ldes:amount 3',
    'ldes:PointInTimePolicy ; ldes:pointInTime "2026-01-01T00:00:00Z"^^xsd:dateTime',
  ].map((old) =>
    eventSource(
      `an event source with retention as it was: ${old.split(' ', 1)[0]}`,
      `ldes:retentionPolicy [ a ${old} ]`,
    ),
  ),
];

/** Ways in, and what stands at the entrance. */
export const entrySituations: readonly Situation[] = [
  redirects(),
  goneNodes(),
  overview,
  ...ambiguous,
  search,
  ...retention,
];
