import { check, fc } from '@ldes-live/test-support/properties';
import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import type { Quad } from '@rdfjs/types';
import { describe, expect, test } from 'vitest';
import {
  latestViewQuads,
  ldes,
  memberQuads,
  rangeQuads,
  readMembers,
  readStreamContext,
  retentionQuads,
  rootQuads,
  tileQuads,
  tree,
  writeQuads,
} from '../src/index.ts';
import { commitOf, description, streamPrefixes, vehicle } from './sample-stream.ts';

const { url } = description;
const DAY_MS = 86_400_000;

/** Expects quads to be those of a Turtle text, which may use the usual prefixes. */
async function expectTurtle(quads: readonly Quad[], turtle: string, baseIri: string): Promise<void> {
  const head = Object.entries(streamPrefixes).map(([prefix, namespace]) => `@prefix ${prefix}: <${namespace}> .`);
  expect(await canonical(quads)).toBe(
    await canonicalText([`@base <${baseIri}> .`, ...head, turtle].join('\n'), 'text/turtle'),
  );
}

describe('the root', () => {
  test('DOC-2 describes the stream, the push endpoint and its ranges', async () => {
    const time = '2026-01-01T00:00:00.000Z';
    const ranges = [{ url: `${url}/pages/range-0`, firstTime: time }];
    await expectTurtle(
      rootQuads(description, { ranges, pollingIntervalSeconds: 20, shape: `${url}/shape` }),
      `<#stream> a ldes:EventStream ;
        tree:view <> ;
        dct:title "Vehicle positions" ;
        tree:shape <vehicles/shape> ;
        ldes:timestampPath prov:generatedAtTime ;
        ldes:versionOfPath dct:isVersionOf ;
        ldes:versionTimestampPath sosa:resultTime ;
        ldes:sequencePath live:sequence ;
        ldes:versionDeleteObject as:Delete ;
        ldes:pollingInterval 20 .
      <> a tree:Node ; tree:viewDescription <#view> .
      <#view> a ldes:EventSource ; dcat:accessService <#push> .
      <#push> a dcat:DataService ; dcat:endpointURL <vehicles/events> ; dcat:servesDataset <#stream> .
      <> tree:relation [ a tree:GreaterThanOrEqualToRelation ; tree:node <vehicles/pages/range-0> ;
        tree:path prov:generatedAtTime ; tree:value "${time}"^^xsd:dateTime ] .`,
      url,
    );
  });

  test.each([
    [undefined, []],
    [20.9, ['20']],
    [0.4, ['1']],
  ])('DOC-2 has an interval of %s s as %s', (pollingIntervalSeconds, expected) => {
    const quads = rootQuads(description, { ranges: [], pollingIntervalSeconds });
    const stated = quads.filter(({ predicate }) => predicate.value === ldes.pollingInterval);
    expect(stated.map(({ object }) => object.value)).toEqual(expected);
  });

  test('DOC-26 states the policy of its stream on its view description', async () => {
    const stated = rootQuads({ ...description, retention: { versionAmount: 1 } }, { ranges: [] }).filter((quad) =>
      /[rR]etention/.test(`${quad.subject.value} ${quad.predicate.value}`),
    );
    const policy = '<#retention> a ldes:RetentionPolicy ; ldes:versionAmount 1 .';
    await expectTurtle(stated, `<#view> ldes:retentionPolicy <#retention> . ${policy}`, url);
  });
});

test.each([
  [
    { startingFrom: '2026-01-01T00:00:00.000Z', fullLogMs: 7 * DAY_MS, versionAmount: 2 },
    'ldes:startingFrom "2026-01-01T00:00:00.000Z"^^xsd:dateTime ; ldes:fullLogDuration "P7D"^^xsd:duration ; ldes:versionAmount 2',
  ],
  [
    { versionMs: 30 * DAY_MS, versionDeleteMs: 3_600_000 },
    'ldes:versionDuration "P30D"^^xsd:duration ; ldes:versionDeleteDuration "PT1H"^^xsd:duration',
  ],
])('DOC-26 a policy has an IRI and is described in the terms that it has: %j', async (policy, stated) => {
  await expectTurtle(
    retentionQuads(`${url}#view`, `${url}#retention`, policy),
    `<#view> ldes:retentionPolicy <#retention> . <#retention> a ldes:RetentionPolicy ; ${stated} .`,
    url,
  );
});

function durationOf(versionMs: number): string | undefined {
  const quads = retentionQuads(`${url}#view`, `${url}#retention`, { versionMs });
  return quads.find(({ predicate }) => predicate.value === ldes.versionDuration)?.object.value;
}

test.each([
  [0, 'PT0S'],
  [1, 'PT0.001S'],
  [500, 'PT0.5S'],
  [60_000, 'PT1M'],
  [3_600_000, 'PT1H'],
  [90_061_001, 'P1DT1H1M1.001S'],
  [7 * 86_400_000, 'P7D'],
  [400 * 86_400_000 + 1000, 'P400DT1S'],
])('%d ms are %s', (ms, text) => {
  expect(durationOf(ms)).toBe(text);
});

test('a duration says its milliseconds', () => {
  check(
    fc.property(fc.nat({ max: 10 ** 13 }), (ms) => {
      const [, days = 0, hours = 0, minutes = 0, seconds = 0] =
        /^P(?=\d|T)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(durationOf(ms) ?? '') ??
        [];
      const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000;
      expect(whole + Math.round(Number(seconds) * 1000)).toBe(ms);
    }),
  );
});

test('DOC-5 a range says that it is immutable when it is sealed', async () => {
  const quads = rangeQuads({ url, sealed: true, pages: [] });
  await expectTurtle(quads, '<> a tree:Node ; ldes:immutable true .', url);
});

test.each([
  [
    'a sealed node is bounded by the times of its first and last member',
    [{ url: `${url}/pages/0`, firstTime: '2026-01-01T00:00:00.000Z', lastTime: '2026-01-31T23:59:59.999Z' }],
    `<> tree:relation
      [ a tree:GreaterThanOrEqualToRelation ; tree:node <vehicles/pages/0> ;
        tree:path prov:generatedAtTime ; tree:value "2026-01-01T00:00:00.000Z"^^xsd:dateTime ],
      [ a tree:LessThanRelation ; tree:node <vehicles/pages/0> ;
        tree:path prov:generatedAtTime ; tree:value "2026-02-01T00:00:00.000Z"^^xsd:dateTime ] .`,
  ],
  [
    'an open node is bounded from below',
    [{ url: `${url}/pages/1`, firstTime: '2026-01-31T23:59:59.999Z' }],
    `<> tree:relation [ a tree:GreaterThanOrEqualToRelation ; tree:node <vehicles/pages/1> ;
        tree:path prov:generatedAtTime ; tree:value "2026-01-31T23:59:59.999Z"^^xsd:dateTime ] .`,
  ],
  [
    'a node without members has a relation without a bound',
    [{ url: `${url}/pages/0` }],
    '<> tree:relation [ a tree:Relation ; tree:node <vehicles/pages/0> ] .',
  ],
  ['no nodes have no relations', [], ''],
])('DOC-5 %s', async (_what, links, turtle) => {
  await expectTurtle(rangeQuads({ url, sealed: false, pages: links }), `<> a tree:Node . ${turtle}`, url);
});

describe('the place view', () => {
  const tiles = `${url}/tiles`;
  const area = 'POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))';

  test('DOC-31 a tile leads to others by where they are, and to what is nowhere without a bound', async () => {
    await expectTurtle(
      tileQuads(description, {
        url: `${tiles}/1/1/0`,
        isRoot: false,
        links: [{ url: `${tiles}/2/2/1`, area }, { url: `${tiles}/2/3/1`, area }, { url: `${tiles}/elsewhere` }],
      }),
      `@prefix geo: <http://www.opengis.net/ont/geosparql#> .
      <0> a tree:Node ; tree:relation
        [ a tree:GeospatiallyContainsRelation ; tree:node <../../2/2/1> ; tree:path _:p ; tree:value "${area}"^^geo:wktLiteral ] ,
        [ a tree:GeospatiallyContainsRelation ; tree:node <../../2/3/1> ; tree:path _:p ; tree:value "${area}"^^geo:wktLiteral ] ,
        [ a tree:Relation ; tree:node <../../elsewhere> ] .
      _:p <http://www.w3.org/1999/02/22-rdf-syntax-ns#first> geo:hasGeometry ;
        <http://www.w3.org/1999/02/22-rdf-syntax-ns#rest> ( geo:asWKT ) .`,
      `${tiles}/1/1/0`,
    );
  });

  test('DOC-31 its root is a view of the stream, other tiles are not', () => {
    const root = tileQuads(description, { url: tiles, isRoot: true, links: [] });
    expect(readStreamContext(root, tiles)).toMatchObject({ stream: description.iri });
    expect(writeQuads(root, 'nquads', {})).toContain('ldes#versionAmount> "1"');
    const tile = tileQuads(description, { url: `${tiles}/1/0/0`, isRoot: false, links: [] });
    expect(tile.map(({ object }) => object.value)).toEqual([tree.Node]);
  });
});

describe('the latest state', () => {
  const latest = `${url}/latest`;

  test('DOC-6 is a view that keeps one version and no deletions, by a policy that has an IRI', async () => {
    await expectTurtle(
      latestViewQuads(description, latest),
      `<${url}#stream> a ldes:EventStream ;
        tree:view <> ;
        ldes:timestampPath prov:generatedAtTime ;
        ldes:versionOfPath dct:isVersionOf ;
        ldes:versionTimestampPath sosa:resultTime ;
        ldes:sequencePath live:sequence ;
        ldes:versionDeleteObject as:Delete .
      <> a tree:Node ; tree:viewDescription <#view> .
      <#view> a ldes:EventSource ; ldes:retentionPolicy <#retention> .
      <#retention> a ldes:RetentionPolicy ; ldes:versionAmount 1 ; ldes:versionDeleteDuration "PT0S"^^xsd:duration .`,
      latest,
    );
  });

  test('has the members, and can be read by what it says itself', () => {
    const { members } = commitOf([vehicle('1'), vehicle('2')]);
    const quads = [...latestViewQuads(description, latest), ...memberQuads(description, members)];
    expect(readMembers(quads, readStreamContext(quads, latest))).toEqual(members);
  });
});
