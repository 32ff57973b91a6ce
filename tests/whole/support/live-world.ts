import { once } from 'node:events';
import { createGtfsRtSource, type GtfsRtSourceOptions, type Source, type SourceEvent } from '@ldes-live/sources';
import { VirtualTime } from '@ldes-live/test-support/virtual-time';
import { type FeedServer, feedServer } from '../../support/feed-server.ts';
import { type PublishedLog, publishedLog } from '../../support/published-log.ts';

/** A feed, polled by the real source, in a log, published by the real server, in virtual time. */
export interface LiveWorld extends PublishedLog {
  readonly time: VirtualTime;
  readonly feed: FeedServer;
  /** Begins to poll the feed, and waits for a poll that begins from now on. */
  nextPoll(): Promise<SourceEvent>;
  /** Sets the feed's body and waits until the source has judged it. */
  poll(body: Uint8Array): Promise<SourceEvent>;
}

export async function liveWorld(options: {
  readonly intervalMs: number;
  readonly feedOptions?: Partial<GtfsRtSourceOptions>;
}): Promise<LiveWorld> {
  const time = new VirtualTime();
  // Time does not pass until what is returned is called.
  const hold = (): (() => void) => {
    let letGo = () => {};
    void time.during(new Promise<void>((resolve) => (letGo = resolve)));
    return letGo;
  };
  let onRequest = () => {};
  const feed = await feedServer(() => onRequest());
  const stop = new AbortController();
  const events: SourceEvent[] = [];
  let onEvent = () => {};
  let source: Source | undefined;
  const published = await publishedLog({
    clock: time.clock,
    schedule: () => source?.schedule() ?? { kind: 'unknown' },
    sources: [
      {
        origin: feed.url,
        // What it brings is published below, poll by poll.
        drafts: async function* (_latest, signal) {
          yield [];
          if (!signal.aborted) await once(signal, 'abort');
        },
        health: () =>
          source?.health() ?? {
            origin: feed.url,
            state: 'starting',
            polls: { good: 0, bad: 0 },
            errors: {},
            findings: {},
          },
      },
    ],
  });
  const made = createGtfsRtSource(
    {
      url: feed.url,
      intervalMs: options.intervalMs,
      publicUrl: published.publicUrl,
      streamUrl: published.url,
      ...options.feedOptions,
    },
    {
      // On a busy machine a request takes many turns to arrive. Were time to pass meanwhile, it would time out.
      fetch: (input, init) => {
        onRequest = hold();
        return fetch(input, init).finally(onRequest);
      },
      clock: time.clock,
      sleep: time.sleep,
    },
  );
  made.onPoll((event) => {
    events.push(event);
    onEvent();
  });
  source = made;
  const publish = async () => {
    for await (const batch of made.drafts(published.log.latest, stop.signal)) await published.log.append(batch);
  };
  let publishing: Promise<void> | undefined;
  const nextPoll = async () => {
    const seen = events.length;
    publishing ??= publish();
    await time.settled();
    while (events.length === seen) await time.next();
    return events[seen] as SourceEvent;
  };
  return {
    ...published,
    time,
    feed,
    nextPoll,
    poll: (body) => {
      // A large feed is read and decoded in many turns, in which no time is to pass.
      feed.answer = (_request, response) => {
        onEvent = hold();
        response.writeHead(200, { 'content-length': body.length }).end(body);
      };
      return nextPoll();
    },
    close: async () => {
      stop.abort();
      await publishing;
      await published.close();
      await feed.close();
    },
  };
}
