import { onTestFinished } from 'vitest';
import { sendGet } from '../src/polling/fetch.ts';
import type { Source, SourceEnvironment, SourceEvent } from '../src/source.ts';
import { FakeTime } from './fake-time.ts';
import { LatestMap } from './latest-map.ts';

/** A source whose polls a test calls one by one, and the state that comes of them. */
export interface Polling {
  readonly source: Source;
  readonly time: FakeTime;
  readonly latest: LatestMap;
  /** What was reported so far. */
  readonly events: SourceEvent[];
  /** Ends the iteration. */
  readonly stop: AbortController;
  /** Settles with the iteration. */
  readonly ended: Promise<void>;
  /** Lets the planned poll happen, and waits for what it reports. */
  poll(): Promise<SourceEvent>;
}

/** Starts the iteration of a source on a fake time, until the test ends. */
export function startPolling(create: (edge: SourceEnvironment) => Source): Polling {
  const time = new FakeTime();
  const latest = new LatestMap();
  const events: SourceEvent[] = [];
  const stop = new AbortController();
  let reported: (event: SourceEvent) => void = () => undefined;
  const source = create({ fetch: sendGet, clock: time.clock, sleep: time.sleep, random: () => 0 });
  source.onPoll((event) => {
    events.push(event);
    reported(event);
  });
  const ended = (async () => {
    for await (const batch of source.drafts(latest, stop.signal)) latest.append(batch);
  })();
  onTestFinished(async () => {
    stop.abort();
    await ended;
  });
  const poll = (): Promise<SourceEvent> => {
    const event = new Promise<SourceEvent>((resolve) => {
      reported = resolve;
    });
    time.pass();
    return event;
  };
  return { source, time, latest, events, stop, ended, poll };
}

/** What a poll reports, as tests compare it. */
export const accepted = (upserts: number, deletes = 0) => ({ kind: 'accepted', upserts, deletes });
export const failed = (code: string, details: object = {}) => ({ kind: 'failed', error: { code, details } });
export const rejected = (code: string, details: object = {}) => ({ kind: 'rejected', error: { code, details } });
