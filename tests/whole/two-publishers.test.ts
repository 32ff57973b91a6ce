/* Terms are the same at every publisher: one query is asked of two servers with different public URLs. */
import { createLiveClient } from '@ldes-live/client';
import { withQueries } from '@ldes-live/query';
import { prefixes } from '@ldes-live/rdf-stream';
import type { FeedMessage } from '@ldes-live/sources';
import { expect, test } from 'vitest';
import { type PublishedLog, publishedLog } from '../support/published-log.ts';
import { rtDrafts } from '../support/rt-drafts.ts';

const SPARQL = `
  PREFIX dct: <${prefixes.dct}>
  PREFIX schema: <${prefixes.schema}>
  PREFIX rt: <https://w3id.org/ldes-live/gtfs-rt#>
  SELECT ?vehicle { [] dct:isVersionOf ?vehicle ; a schema:Vehicle ; rt:currentStatus rt:StoppedAt ; rt:speed ?speed }`;

/** A server that publishes one vehicle, which stands. */
async function publisherOf(vehicle: string): Promise<PublishedLog> {
  const published = await publishedLog({ clock: Date.now });
  const feed: FeedMessage = {
    header: { gtfs_realtime_version: '2.0' },
    entity: [
      {
        id: '1',
        vehicle: {
          vehicle: { id: vehicle },
          position: { latitude: 51.05, longitude: 3.72, speed: 0 },
          current_status: 'STOPPED_AT',
        },
      },
    ],
  };
  await published.log.append(await rtDrafts(feed, { publicUrl: published.publicUrl, streamUrl: published.url }));
  return published;
}

test('GTFS-22 one SPARQL query finds the vehicles of two publishers', { timeout: 20_000 }, async () => {
  const publishers = await Promise.all([publisherOf('a'), publisherOf('b')]);
  const urls = publishers.map(({ url }) => url);
  expect(new Set(urls).size).toBe(2);
  const client = withQueries(createLiveClient({ mal: 1 }));
  const expected = urls.map((url, index) => `${url}/entities/vehicles/${'ab'[index]}`);
  let found: string[] = [];
  for await (const result of client.query(urls, SPARQL)) {
    if (result.form === 'bindings') found = result.bindings().map(({ vehicle }) => vehicle?.value ?? '');
    // The streams are read one beside the other, so that a first answer may have one of them only.
    if (found.length === expected.length) break;
  }
  expect(found.sort()).toEqual(expected.sort());
  await Promise.all(publishers.map((published) => published.close()));
});
