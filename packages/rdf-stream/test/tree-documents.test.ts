import { check, fc } from '@ldes-live/test-support/properties';
import { canonical, canonicalText } from '@ldes-live/test-support/rdf';
import type { Quad } from '@rdfjs/types';
import { expect, test } from 'vitest';
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
} from '../src/index.ts';
import { commitOf, description, streamPrefixes, vehicle } from './sample-stream.ts';

const { url } = description;
const DAY_MS = 86_400_000;

/** Expects quads to be those of a Turtle text, which may use the usual prefixes. */
async function expectTurtle(quads: readonly Quad[], turtle: string, baseIri = url): Promise<void> {
  const head = Object.entries(streamPrefixes).map(([prefix, namespace]) => `@prefix ${prefix}: <${namespace}> .`);
  expect(await canonical(quads)).toBe(
    await canonicalText([`@base <${baseIri}> .`, ...head, turtle].join('\n'), 'text/turtle'),
  );
}

const time = '2026-01-01T00:00:00.000Z';
const CONTEXT = `ldes:timestampPath prov:generatedAtTime ; ldes:versionOfPath dct:isVersionOf ;
  ldes:versionTimestampPath sosa:resultTime ; ldes:sequencePath live:sequence ; ldes:versionDeleteObject as:Delete`;

test('DOC-2 the root describes the stream, the push endpoint and its ranges', async () => {
  const ranges = [{ url: `${url}/pages/range-0`, firstTime: time }];
  await expectTurtle(
    rootQuads(description, { ranges, pollingIntervalSeconds: 20, shape: `${url}/shape` }),
    `<#stream> a ldes:EventStream ; tree:view <> ; dct:title "Vehicle positions" ; tree:shape <vehicles/shape> ;
      ${CONTEXT} ; ldes:pollingInterval 20 .
    <> a tree:Node ; tree:viewDescription <#view> .
    <#view> a ldes:EventSource ; dcat:accessService <#push> .
    <#push> a dcat:DataService ; dcat:endpointURL <vehicles/events> ; dcat:servesDataset <#stream> .
    <> tree:relation [ a tree:GreaterThanOrEqualToRelation ; tree:node <vehicles/pages/range-0> ;
      tree:path prov:generatedAtTime ; tree:value "${time}"^^xsd:dateTime ] .`,
  );
});

test('DOC-2 an interval is whole seconds, and none below one', () => {
  const stated = [undefined, 20.9, 0.9].map((pollingIntervalSeconds) =>
    rootQuads(description, { ranges: [], pollingIntervalSeconds })
      .filter(({ predicate }) => predicate.value === ldes.pollingInterval)
      .map(({ object }) => object.value),
  );
  expect(stated).toEqual([[], ['20'], []]);
});

test('DOC-26 the root states the policy of its stream on its view description', async () => {
  const stated = rootQuads({ ...description, retention: { versionAmount: 1 } }, { ranges: [] }).filter((quad) =>
    /[rR]etention/.test(`${quad.subject.value} ${quad.predicate.value}`),
  );
  const policy = '<#retention> a ldes:RetentionPolicy ; ldes:versionAmount 1 .';
  await expectTurtle(stated, `<#view> ldes:retentionPolicy <#retention> . ${policy}`);
});

test.each([
  [
    { startingFrom: time, fullLogMs: 7 * DAY_MS, versionAmount: 2 },
    `ldes:startingFrom "${time}"^^xsd:dateTime ; ldes:fullLogDuration "P7D"^^xsd:duration ; ldes:versionAmount 2`,
  ],
  [
    { versionMs: 30 * DAY_MS, versionDeleteMs: 3_600_000 },
    'ldes:versionDuration "P30D"^^xsd:duration ; ldes:versionDeleteDuration "PT1H"^^xsd:duration',
  ],
])('DOC-26 a policy has an IRI and is described in the terms that it has: %j', async (policy, stated) => {
  await expectTurtle(
    retentionQuads(`${url}#view`, `${url}#retention`, policy),
    `<#view> ldes:retentionPolicy <#retention> . <#retention> a ldes:RetentionPolicy ; ${stated} .`,
  );
});

function durationOf(versionMs: number): string {
  const quads = retentionQuads(`${url}#view`, `${url}#retention`, { versionMs });
  return quads.find(({ predicate }) => predicate.value === ldes.versionDuration)?.object.value ?? '';
}

test('a duration is in days and less, the parts that it has', () => {
  const texts = [0, 1, 500, 60_000, 3_600_000, 90_061_001, 7 * DAY_MS, 400 * DAY_MS + 1000].map(durationOf);
  expect(texts.join(' ')).toBe('PT0S PT0.001S PT0.5S PT1M PT1H P1DT1H1M1.001S P7D P400DT1S');
});

test('a duration says its milliseconds', () => {
  const pattern = /^P(?=\d|T)(?:(\d+)D)?(?:T(?=\d)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/;
  check(
    fc.property(fc.nat({ max: 10 ** 13 }), (ms) => {
      const [, days = 0, hours = 0, minutes = 0, seconds = 0] = pattern.exec(durationOf(ms)) ?? [];
      const whole = ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60_000;
      expect(whole + Math.round(Number(seconds) * 1000)).toBe(ms);
    }),
  );
});

const to = (type: string, node: string, value?: string) =>
  `<> tree:relation [ a tree:${type} ; tree:node <vehicles/pages/${node}>
    ${value === undefined ? '' : `; tree:path prov:generatedAtTime ; tree:value "${value}"^^xsd:dateTime`} ] .`;

test.each([
  [
    'a sealed node is bounded by the times of its first and last member',
    [{ url: `${url}/pages/0`, firstTime: time, lastTime: '2026-01-31T23:59:59.999Z' }],
    to('GreaterThanOrEqualToRelation', '0', time) + to('LessThanRelation', '0', '2026-02-01T00:00:00.000Z'),
  ],
  [
    'an open node is bounded from below',
    [{ url: `${url}/pages/1`, firstTime: time }],
    to('GreaterThanOrEqualToRelation', '1', time),
  ],
  ['a node without members has a relation without a bound', [{ url: `${url}/pages/0` }], to('Relation', '0')],
  ['no nodes have no relations', [], ''],
])('DOC-5 %s', async (_what, pages, turtle) => {
  await expectTurtle(rangeQuads({ url, sealed: false, pages }), `<> a tree:Node . ${turtle}`);
});

test('DOC-5 a range says that it is immutable when it is sealed', async () => {
  await expectTurtle(rangeQuads({ url, sealed: true, pages: [] }), '<> a tree:Node ; ldes:immutable true .');
});

const tiles = `${url}/tiles`;

test('DOC-31 a tile leads to others by where they are, and to what is nowhere without a bound', async () => {
  const area = 'POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))';
  const links = [{ url: `${tiles}/2/2/1`, area }, { url: `${tiles}/2/3/1`, area }, { url: `${tiles}/elsewhere` }];
  await expectTurtle(
    tileQuads(description, { url: `${tiles}/1/1/0`, isRoot: false, links }),
    `<0> a tree:Node ; tree:relation
      [ a tree:GeospatiallyContainsRelation ; tree:node <../../2/2/1> ; tree:path _:p ; tree:value "${area}"^^geo:wktLiteral ] ,
      [ a tree:GeospatiallyContainsRelation ; tree:node <../../2/3/1> ; tree:path _:p ; tree:value "${area}"^^geo:wktLiteral ] ,
      [ a tree:Relation ; tree:node <../../elsewhere> ] .
    _:p rdf:first geo:hasGeometry ; rdf:rest ( geo:asWKT ) .`,
    `${tiles}/1/1/0`,
  );
});

test('DOC-31 the root of the tiles is a view of the stream, other tiles are not', () => {
  const root = tileQuads(description, { url: tiles, isRoot: true, links: [] });
  expect(root).toEqual(latestViewQuads(description, tiles));
  const tile = tileQuads(description, { url: `${tiles}/1/0/0`, isRoot: false, links: [] });
  expect(tile.map(({ object }) => object.value)).toEqual([tree.Node]);
});

const latest = `${url}/latest`;

test('DOC-6 the latest state is a view that keeps one version and no deletions, by a policy that has an IRI', async () => {
  await expectTurtle(
    latestViewQuads(description, latest),
    `<${url}#stream> a ldes:EventStream ; tree:view <> ; ${CONTEXT} .
    <> a tree:Node ; tree:viewDescription <#view> .
    <#view> a ldes:EventSource ; ldes:retentionPolicy <#retention> .
    <#retention> a ldes:RetentionPolicy ; ldes:versionAmount 1 ; ldes:versionDeleteDuration "PT0S"^^xsd:duration .`,
    latest,
  );
});

test('the latest state has the members, and can be read by what it says itself', () => {
  const { members } = commitOf([vehicle('1'), vehicle('2')]);
  const quads = [...latestViewQuads(description, latest), ...memberQuads(description, members)];
  expect(readMembers(quads, readStreamContext(quads, latest))).toEqual(members);
});
