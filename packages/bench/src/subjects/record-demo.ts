import { createMemoryStore } from '@ldes-live/log';
import { type Draft, describeStream } from '@ldes-live/rdf-stream';
import { createGtfsRtSource, encodeFeed } from '@ldes-live/sources';
import { demoFeeds, simulate, TICK_SECONDS, tickAt, transitNetwork } from 'ldes-live/demo';

const SEED = 2020;
/** A Monday morning. */
const START_MS = Date.UTC(2026, 2, 2, 8);

/**
 * What the demonstration publishes of its vehicles, commit by commit: its simulation, told as GTFS-Realtime and read as a feed is,
 * with a clock that goes on as soon as it is waited for.
 *
 * @param commits - how many, 1 or more
 */
export async function recordDemo(publicUrl: string, name: string, commits: number): Promise<(readonly Draft[])[]> {
  const description = describeStream({ publicUrl, name });
  const network = transitNetwork(SEED);
  let nowMs = START_MS;
  const clock = () => nowMs;
  const store = createMemoryStore({ clock, random: Math.random });
  const log = await store.open(description);
  const source = createGtfsRtSource(
    { url: 'http://demo.invalid/feed.pb', publicUrl, streamUrl: description.url, intervalMs: 1000 * TICK_SECONDS },
    {
      clock,
      fetch: async () => {
        const body = encodeFeed(demoFeeds(simulate(network, tickAt(nowMs))).vehiclePositions);
        return new Response(new Uint8Array(body), { headers: { 'content-type': 'application/x-protobuf' } });
      },
      sleep: async (durationMs) => {
        nowMs += Math.max(1, durationMs);
      },
    },
  );
  const recorded: (readonly Draft[])[] = [];
  const ending = new AbortController();
  for await (const drafts of source.drafts(log.latest, ending.signal)) {
    recorded.push(drafts);
    await log.append(drafts);
    if (recorded.length === commits) ending.abort();
  }
  await store.close();
  return recorded;
}
