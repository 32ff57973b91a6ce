import { blankNode, type Draft, literal, namedNode, prefixes, quad } from '@ldes-live/rdf-stream';
import { expect, test } from 'vitest';
import { ldesClient } from '../support/ldes-client-process.ts';
import { publishedLog } from '../support/published-log.ts';

function placedDraft(publicUrl: string, number: number): Draft {
  const entity = namedNode(`${publicUrl}vehicles/entities/${number}`);
  const place = blankNode('place');
  const wkt = literal(
    `POINT (${3 + Math.sin(number)} ${51 + Math.cos(number * 1.3) / 2})`,
    `${prefixes.geo}wktLiteral`,
  );
  const quads = [
    quad(entity, namedNode(`${prefixes.geo}hasGeometry`), place),
    quad(place, namedNode(`${prefixes.geo}asWKT`), wkt),
  ];
  return { kind: 'upsert', entity: entity.value, origin: 'test', fingerprint: String(number), quads };
}

test('DOC-31 DOC-32 the public ldes-client reads the place view whole: the latest state, each member once', async () => {
  const published = await publishedLog({ clock: Date.now });
  const { log, publicUrl, url } = published;
  await log.append(Array.from({ length: 900 }, (_, number) => placedDraft(publicUrl, number)));
  await log.append([
    ...Array.from({ length: 100 }, (_, number) => placedDraft(publicUrl, number)),
    { kind: 'delete' as const, entity: `${publicUrl}vehicles/entities/500`, origin: 'test' },
    { ...placedDraft(publicUrl, 2000), quads: [] } as Draft,
  ]);
  const reader = ldesClient(`${url}/tiles`);
  expect(await reader.ended, reader.errorOutput()).toBe(0);
  const latest = (await log.latestMembers()).map(({ id }) => id);
  expect(latest).toHaveLength(900);
  expect([...reader.members].sort()).toEqual(latest.sort());
  await published.close();
});
