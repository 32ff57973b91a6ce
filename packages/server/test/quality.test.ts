import { dct, dqv, foaf, prov, rdf, type SourceHealth, xsd } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { createQualityWatch, QUALITY_KEPT_MS } from '../src/catalog/quality-watch.ts';
import { expectSameTriples, objectsOf, published } from './published.ts';
import { PUBLIC_URL, testServer } from './test-server.ts';

const STREAM = `${PUBLIC_URL}vehicles#stream`;
const ORIGIN = 'http://agency.example/vp.pb?a=b';
const AT = '2026-01-01T00:00:10.000Z';
const RULE = {
  title: 'a time is <not> in POSIX seconds',
  severity: 'error',
  url: 'https://rules.example/#E001',
} as const;

/** A source that noticed so much of its data. */
function sourceOf(findings: Readonly<Record<string, number>>, more: Partial<SourceHealth> = {}): SourceHealth {
  return { origin: ORIGIN, state: 'ok', noticedAt: AT, polls: { good: 1, bad: 0 }, errors: {}, findings, ...more };
}

const measured = (finding: string, origin = ORIGIN) =>
  `${PUBLIC_URL}vehicles#quality/${encodeURIComponent(origin)}/${encodeURIComponent(finding)}`;

test('DOC-70 each finding of a source is a measurement of the dataset, in the five formats', async () => {
  const server = await testServer();
  const posted = sourceOf({ E001: 4 }, { origin: 'posted by us' });
  server.time.sources = [sourceOf({ E001: 12, 'unknown-field:TripDescriptor.1001': 320 }), posted];
  await expectSameTriples(server, '/');
  const quads = await published(server, '/');
  const say = (subject: string, predicate: string) => objectsOf(quads, subject, predicate);
  const [first, second, third] = [
    measured('E001'),
    measured('unknown-field:TripDescriptor.1001'),
    measured('E001', 'posted by us'),
  ];
  expect(say(STREAM, dqv.hasQualityMeasurement)).toEqual([first, second, third]);
  expect(say(first, rdf.type)).toEqual([dqv.QualityMeasurement]);
  expect(say(first, dqv.computedOn)).toEqual([STREAM]);
  expect(say(first, dqv.value)).toEqual(['12']);
  expect(say(second, dqv.value)).toEqual(['320']);
  expect(say(first, prov.generatedAtTime)).toEqual([AT]);
  expect(say(first, dqv.isMeasurementOf)).toEqual(say(third, dqv.isMeasurementOf));
  const sources = quads.filter(({ predicate }) => predicate.value === dct.source).map(({ object }) => object);
  expect(sources.map(({ termType, value }) => [termType, value])).toEqual([
    ['NamedNode', ORIGIN],
    ['NamedNode', ORIGIN],
    ['Literal', 'posted by us'],
  ]);
});

test('DOC-70 without findings nothing is said of quality, and without a time none', async () => {
  const server = await testServer();
  server.time.sources = [sourceOf({})];
  expect((await server.get('/', { accept: 'text/turtle' })).body).not.toContain('dqv');
  const { noticedAt: _, ...untimed } = sourceOf({ E001: 1 });
  const other = await testServer();
  other.time.sources = [untimed];
  expect(objectsOf(await published(other, '/'), measured('E001'), prov.generatedAtTime)).toEqual([]);
});

test('DOC-71 each finding has one metric, with what it means where that is known', async () => {
  const server = await testServer();
  server.time.sources = [
    sourceOf({ E001: 1, odd: 2 }, { meanings: { E001: RULE } }),
    sourceOf({ odd: 1, E001: 1 }, { origin: 'a' }),
  ];
  const quads = await published(server, '/');
  const say = (subject: string, predicate: string) => objectsOf(quads, subject, predicate);
  const [known, unknown] = [`${PUBLIC_URL}#metric-E001`, `${PUBLIC_URL}#metric-odd`];
  expect(
    quads
      .filter(({ object }) => object.value === dqv.Metric)
      .map(({ subject }) => subject.value)
      .sort(),
  ).toEqual([known, unknown]);
  expect(say(measured('E001'), dqv.isMeasurementOf)).toEqual([known]);
  expect(say(known, dct.identifier)).toEqual(['E001']);
  expect(say(known, dct.title)).toEqual([RULE.title]);
  expect(say(known, foaf.page)).toEqual([RULE.url]);
  expect(say(known, dqv.expectedDataType)).toEqual([xsd.integer]);
  expect(say(unknown, dct.identifier)).toEqual(['odd']);
  expect(say(unknown, dct.title)).toEqual([]);
});

test('DOC-72 polls that notice about the same leave the catalogue as it is', async () => {
  const server = await testServer();
  server.time.sources = [sourceOf({ E001: 12 })];
  const { headers } = await server.get('/');
  const asked = { 'if-none-match': headers.etag as string };
  for (let poll = 1; poll < 9; poll += 1) {
    server.time.nowMs += QUALITY_KEPT_MS;
    server.time.sources = [sourceOf({ E001: 12 + poll }, { noticedAt: new Date(server.time.nowMs).toISOString() })];
    expect((await server.get('/', asked)).statusCode).toBe(304);
  }
});

test.each([
  ['a finding that comes', sourceOf({ E001: 12, E002: 1 }), '"E002"'],
  ['a digit more', sourceOf({ E001: 100 }), '100'],
  ['the next hour', sourceOf({ E001: 13 }, { noticedAt: '2026-01-01T01:00:00.000Z' }), '2026-01-01T01:00:00.000Z'],
])('DOC-72 %s makes a new catalogue, but none before a minute is over', async (_, source, text) => {
  const server = await testServer();
  server.time.sources = [sourceOf({ E001: 12 })];
  const { headers } = await server.get('/');
  const asked = { 'if-none-match': headers.etag as string };
  server.time.sources = [source];
  server.time.nowMs += QUALITY_KEPT_MS - 1;
  expect((await server.get('/', asked)).statusCode).toBe(304);
  server.time.nowMs += 1;
  const { statusCode, body } = await server.get('/', asked);
  expect(statusCode).toBe(200);
  expect(body).toContain(text);
});

test('DOC-72 a finding that goes is gone, and a clock that is set back stops nothing', () => {
  let nowMs = 1_000_000;
  let sources = [sourceOf({ E001: 1 })];
  const description = { name: 'vehicles' } as never;
  const watch = createQualityWatch([{ description, sources: () => sources }], () => nowMs);
  expect(watch.measurements('vehicles')).toHaveLength(1);
  const before = watch.version();
  sources = [sourceOf({})];
  expect(watch.version()).toBe(before);
  nowMs -= 3_600_000;
  expect(watch.measurements('vehicles')).toEqual([]);
  expect(watch.version()).not.toBe(before);
  expect(watch.measurements('another')).toEqual([]);
});

test('DOC-73 the page shows the measurements, with what is data escaped', async () => {
  const server = await testServer();
  expect((await server.get('/', { accept: 'text/html' })).body).not.toContain('Noticed of the data');
  const javascript = { title: 'odd', severity: 'warning', url: 'javascript:alert(1)' } as const;
  server.time.sources = [
    sourceOf({ E001: 12, '<b>': 3 }, { meanings: { E001: RULE, '<b>': javascript }, origin: 'a <& b' }),
  ];
  server.time.nowMs += QUALITY_KEPT_MS;
  const { body } = await server.get('/', { accept: 'text/html' });
  expect(body).toContain('<summary>Noticed of the data: 2</summary>');
  expect(body).toContain(`<li>12 × <a href="${RULE.url}">E001</a>: a time is &#60;not&#62; in POSIX seconds<br>`);
  expect(body).toContain('<li>3 × &#60;b&#62;: odd<br>');
  expect(body).toContain(`<small>a &#60;&#38; b at ${AT}</small>`);
  expect(body).not.toContain('href="javascript');
});
