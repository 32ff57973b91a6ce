import { describe, expect, test } from 'vitest';
import { parseConfig } from '../src/config/parse-config.ts';
import { configPlan, demoPlan } from '../src/serve/serve-plan.ts';

const plan = (text: string) =>
  configPlan({ ...parseConfig(`publicUrl: http://a.example/\n${text}`, 'live.yml', {}), files: {} }, '/etc/live.yml');
const source = 'source: { gtfsRt: "http://a/", every: 1s }';

describe('a plan', () => {
  test('holds what is said of each stream, and nothing of what is not said', () => {
    const { streams, store } = plan(`streams: { a: { ${source} } }`);
    expect(streams).toEqual([
      { name: 'a', title: 'a', about: {}, source: { kind: 'gtfsRt', feeds: [{ url: 'http://a/' }], everyMs: 1000 } },
    ]);
    expect(store).toEqual({ path: '/etc/data' });
  });

  test('has the licence and the publisher of the file for streams that name none', () => {
    const { streams } = plan(
      `licence: urn:x:1\npublisher: { name: All, iri: "urn:x:all" }\nstreams:\n` +
        `  a: { ${source}, keywords: [b], description: c }\n  b: { ${source}, licence: "urn:x:2", publisher: { name: Us } }\n`,
    );
    expect(streams.map(({ about }) => about)).toEqual([
      { licence: 'urn:x:1', publisher: { name: 'All', iri: 'urn:x:all' }, keywords: ['b'], description: 'c' },
      { licence: 'urn:x:2', publisher: { name: 'Us' } },
    ]);
  });

  test('has what a stream says of its updates and of what it keeps', () => {
    const { streams } = plan(
      `streams:\n  a: { ${source}, updates: { every: 15m }, breakEven: 80s, retention: { versions: 1, history: 7d } }\n`,
    );
    expect(streams).toMatchObject([
      { updates: { everyMs: 900_000 }, breakEvenMs: 80_000, retention: { versionAmount: 1, fullLogMs: 604_800_000 } },
    ]);
  });
});

test('the demonstration says what its streams are, gives them away, and does not keep them for ever', () => {
  const { streams } = demoPlan({ url: (feed) => `http://feeds.example/${feed}` }, 80);
  expect(streams.map(({ name }) => name)).toEqual(['vehicles', 'trips', 'alerts']);
  for (const { about, retention } of streams) {
    expect(about).toMatchObject({
      description: expect.stringContaining('simulated'),
      licence: 'https://creativecommons.org/publicdomain/zero/1.0/',
      publisher: { name: expect.any(String) },
    });
    expect(about.keywords?.length).toBeGreaterThan(1);
    expect(retention?.fullLogMs).toBeGreaterThan(0);
    // What ended would keep its pages for ever otherwise.
    expect(retention?.versionDeleteMs).toBe(0);
  }
});
