import { describe, expect, test } from 'vitest';
import { HEAD, mistakesOf, parse, source } from './parsed-config.ts';

describe('a stream', () => {
  const streamOf = (rest: string) =>
    parse(`${HEAD}streams: { a: { source: { gtfsRt: "http://a/", every: 1s }, ${rest} } }`).streams.a;

  test.each([
    ['100ms', 100],
    ['15m', 900_000],
    ['366d', 31_622_400_000],
  ])('may say that it is updated every %s', (every, everyMs) => {
    expect(streamOf(`updates: { every: ${every} }`)?.updates).toEqual({ everyMs });
  });

  test.each([
    ['0s', 0],
    ['80s', 80_000],
    ['366d', 31_622_400_000],
  ])('may state a break-even of %s', (breakEven, breakEvenMs) => {
    expect(streamOf(`breakEven: ${breakEven}`)?.breakEven).toBe(breakEvenMs);
  });

  test.each([
    ['versions: 1, history: 7d', { versionAmount: 1, fullLogMs: 604_800_000 }],
    ['history: 1s', { fullLogMs: 1000 }],
    ['history: 36500d', { fullLogMs: 36_500 * 86_400_000 }],
    ['versions: 1, versionsFor: 1s', { versionAmount: 1, versionMs: 1000 }],
    ['versions: 1, deletes: 1ms', { versionAmount: 1, versionDeleteMs: 1 }],
    ['from: 2026-02-28T00:00Z', { startingFrom: '2026-02-28T00:00:00.000Z' }],
    ['from: 2028-02-29T23:30:00-01:00', { startingFrom: '2028-03-01T00:30:00.000Z' }],
  ])('may keep %s', (retention, policy) => {
    expect(streamOf(`retention: { ${retention} }`)?.retention).toEqual(policy);
  });
});

test.each<[what: string, text: string, mistakes: string[]]>([
  [
    'updates that are not understood',
    `${HEAD}streams:\n  a:\n    ${source}\n    updates: sometimes\n`,
    ['live.yml:5:14 streams.a.updates: found "sometimes", expected "unpredictable", a mapping with every such as'],
  ],
  [
    'a break-even without its unit',
    `${HEAD}streams:\n  a:\n    ${source}\n    breakEven: 80\n`,
    ['live.yml:5:16 streams.a.breakEven: found 80, expected a duration from 0s to 366d with its unit'],
  ],
  [
    'updates left empty',
    `${HEAD}streams:\n  a:\n    ${source}\n    updates:\n`,
    ['live.yml:5:5 streams.a.updates: found nothing, expected "unpredictable", a mapping'],
  ],
  [
    'intervals of updates out of range, and misspelt',
    `${HEAD}streams:\n  a:\n    ${source}\n    updates: { every: 99ms }\n  b:\n    ${source}\n    updates: { every: 367d }\n  c:\n    ${source}\n    updates: { evry: 1s }\n`,
    [
      'live.yml:5:23 streams.a.updates.every: found "99ms", expected a duration from 100ms to 366d with its unit (ms, s, m, h or d)',
      'live.yml:8:23 streams.b.updates.every: found "367d", expected a duration',
      'live.yml:11:14 streams.c.updates.every: found nothing, expected a duration',
      'live.yml:11:16 streams.c.updates.evry: unknown key; did you mean every?',
    ],
  ],
  [
    'a retention of nothing',
    `${HEAD}streams:\n  a:\n    ${source}\n    retention: {}\n  b:\n    ${source}\n    retention:\n`,
    [
      'live.yml:5:16 streams.a.retention: found a mapping, expected a mapping with any of versions, versionsFor, history,',
      'live.yml:8:5 streams.b.retention: found nothing, expected a mapping with any of',
    ],
  ],
  [
    'a retention whose parts refine nothing',
    `${HEAD}streams:\n  a:\n    ${source}\n    retention: { history: 7d, versionsFor: 1d, deletes: 0s }\n`,
    [
      'live.yml:5:44 streams.a.retention.versionsFor: found "1d", expected versions beside it',
      'live.yml:5:57 streams.a.retention.deletes: found "0s", expected versions beside it',
    ],
  ],
  [
    'a retention out of range',
    `${HEAD}streams:\n  a:\n    ${source}\n    retention:\n      versions: 0\n      versionsFor: 999ms\n      history: 36501d\n      deletes: -1s\n      from: 2026-02-30T00:00:00Z\n      version: 1\n`,
    [
      'live.yml:6:17 streams.a.retention.versions: found 0, expected an integer of at least 1',
      'live.yml:7:20 streams.a.retention.versionsFor: found "999ms", expected a duration from 1s to 36500d',
      'live.yml:8:16 streams.a.retention.history: found "36501d", expected a duration from 1s to 36500d',
      'live.yml:9:16 streams.a.retention.deletes: found "-1s", expected a duration from 0s to 36500d',
      'live.yml:10:13 streams.a.retention.from: found "2026-02-30T00:00:00Z", expected an instant with its timezone',
      'live.yml:11:7 streams.a.retention.version: unknown key; did you mean versions?',
    ],
  ],
  [
    'instants that are none',
    ['2026-01-01T00:00:00', '2026-01-01', 'yesterday', '2026-01-01T25:00:00Z', '2026-13-01T00:00:00Z'].reduce(
      (text, from, index) => `${text}  a${index}: { retention: { from: "${from}" }, ${source} }\n`,
      `${HEAD}streams:\n`,
    ),
    [0, 1, 2, 3, 4].map((index) => `live.yml:${3 + index}:28 streams.a${index}.retention.from: found`),
  ],
  [
    'what a catalogue cannot say',
    `${HEAD}licence: CC BY\npublisher: { iri: "not one" }\nstreams:\n  a:\n    ${source}\n    description: " "\n    keywords: [a, b, a]\n    publisher: Us\n    licence: "http://a/<b>"\n    title: "a\\u0000"\n  b:\n    ${source}\n    keywords: []\n`,
    [
      'live.yml:2:10 licence: found "CC BY", expected an IRI, such as https://creativecommons.org/publicdomain/zero/1.0/',
      'live.yml:3:12 publisher.name: found nothing, expected a name in quotes',
      'live.yml:3:19 publisher.iri: found "not one", expected an IRI, such as https://agency.example/#us',
      'live.yml:7:18 streams.a.description: found " ", expected a text in quotes',
      'live.yml:8:22 streams.a.keywords.2: found "a", expected each word once',
      'live.yml:9:16 streams.a.publisher: found "Us", expected a mapping with a name',
      'live.yml:10:14 streams.a.licence: found "http://a/<b>", expected an IRI',
      'live.yml:11:12 streams.a.title: found "a\\u0000", expected a title in quotes',
      'live.yml:14:15 streams.b.keywords: found a list, expected at least one word',
    ],
  ],
])('%s is refused, with every mistake at its place', (_, text, mistakes) => {
  const found = mistakesOf(text);
  expect(found.map((mistake, index) => mistake.slice(0, mistakes[index]?.length))).toEqual(mistakes);
});
