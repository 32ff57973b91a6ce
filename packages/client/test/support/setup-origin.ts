import { setImmediate as turn } from 'node:timers/promises';
import { LIMIT_MS, until, VirtualTime } from '@ldes-live/test-support/virtual-time';
import { onTestFinished } from 'vitest';
import {
  type Change,
  createLiveClient,
  type Follower,
  type FollowOptions,
  type LiveClient,
  type LiveClientOptions,
  type Sleep,
} from '../../src/index.ts';
import { ScriptedOrigin } from './scripted-origin.ts';

/** Limits for clients under test, told from waits by their length: `VirtualTime` lets them pass when a test says so. */
export const testLimits = {
  requestMs: LIMIT_MS + 1,
  openMs: LIMIT_MS + 2,
  silenceMs: LIMIT_MS + 3,
  watchMs: LIMIT_MS + 4,
};

/** A scripted origin on a virtual clock, closed after the test; with a commit of these names, if there are any. */
export async function setUpOrigin(...names: string[]): Promise<{ time: VirtualTime; origin: ScriptedOrigin }> {
  const time = new VirtualTime({ waits: 'at once' });
  const origin = new ScriptedOrigin(time);
  await origin.listen();
  if (names.length > 0) origin.commit(...names);
  onTestFinished(() => origin.close());
  return { time, origin };
}

/** A client on a virtual clock; `random` is 0.5 and the MAL 30 s unless given. */
export function clientOf({ time }: { time: VirtualTime }, options: Partial<LiveClientOptions> = {}): LiveClient {
  const { clock, sleep } = time;
  const limits = { ...testLimits, ...options.limits };
  return createLiveClient({ mal: 30, clock, sleep, random: () => 0.5, ...options, limits });
}

/** A follower of an origin, of such a client. */
export function followOrigin(
  origin: ScriptedOrigin,
  options: Partial<LiveClientOptions>,
  request?: FollowOptions,
): Follower {
  return clientOf(origin, options).follow(origin.url, request);
}

/** Reads on until a follower has caught up for the first time. */
export async function readToHead(follower: Follower): Promise<void> {
  const atHead = caughtUp(follower);
  void take(reading(follower), 1).catch(() => {});
  await atHead;
}

/** Until a follower has caught up the next time. */
export function caughtUp(follower: Follower): Promise<unknown> {
  return new Promise((resolve) => follower.on('caught-up', resolve));
}

/** Some turns of the event loop: whoever has had all waits for what is next. */
export async function turns(count = 10): Promise<void> {
  for (let left = count; left > 0; left -= 1) await turn();
}

/** Followers of one client and URL, each of which has read the first commit and waits on their push connection. */
export async function pushingTogether(count: number, options: Partial<LiveClientOptions> = { mal: 1 }) {
  const { origin, time } = await setUpOrigin('a');
  const client = clientOf(origin, options);
  const followers = Array.from({ length: count }, () => client.follow(origin.url));
  const iterators = followers.map(reading);
  for (const iterator of iterators) await take(iterator, 1);
  const next = iterators.map((iterator) => take(iterator, 1));
  const areAllPushing = () => followers.every(({ status }) => status.state === 'pushing');
  await until(() => origin.pushed.size === 1 && areAllPushing());
  return { origin, time, client, followers, iterators, next, areAllPushing };
}

export type Reading = AsyncIterator<Change, undefined>;

/** The iterator of a follower, returned after the test. */
export function reading(follower: Follower): Reading {
  const iterator = follower[Symbol.asyncIterator]() as Reading;
  onTestFinished(async () => {
    await iterator.return?.();
  });
  return iterator;
}

/** How an origin is, and what of it is followed. */
export interface Following {
  readonly request?: FollowOptions;
  /** The names of the first commit: `a` unless given. */
  readonly commit?: readonly string[];
  /** When the origin says that its next update comes, milliseconds from now. */
  readonly nextUpdateInMs?: number;
  readonly origin?: Partial<ScriptedOrigin>;
  /** The sleep of the client, of the virtual time: that of the time unless given. */
  readonly sleepOf?: ((time: VirtualTime) => Sleep) | undefined;
}

/** An origin with a commit, and a follower that has read it. */
export async function following(
  options: Partial<LiveClientOptions>,
  { request, commit = ['a'], nextUpdateInMs, origin: settings, sleepOf }: Following = {},
) {
  const { origin, time } = await setUpOrigin();
  Object.assign(origin, settings);
  origin.commit(...commit);
  if (nextUpdateInMs !== undefined) origin.nextUpdateMs = time.nowMs + nextUpdateInMs;
  const follower = followOrigin(origin, { ...options, ...(sleepOf && { sleep: sleepOf(time) }) }, request);
  const iterator = reading(follower);
  await take(iterator, commit.length);
  return { origin, time, follower, iterator };
}

/** The same, of a follower that waits on its push connection for so many changes: `next`. */
export async function pushing(count: number, options: Partial<LiveClientOptions> = { mal: 1 }, given: Following = {}) {
  const context = await following(options, given);
  const next = take(context.iterator, count);
  await until(() => context.origin.pushed.size === 1);
  return { ...context, next };
}

/** Commits the same names every 5 s from now on, and predicts each. */
export function publishRegularly(origin: ScriptedOrigin, ...names: string[]): void {
  const { time } = origin;
  const publish = (atMs: number) => {
    origin.nextUpdateMs = atMs;
    time.at(atMs, () => {
      origin.commit(...names);
      publish(atMs + 5_000);
    });
  };
  publish(time.nowMs + 5_000);
}

/** The next changes, as many as asked for. */
export async function take(iterator: Reading, count: number): Promise<Change[]> {
  const changes: Change[] = [];
  while (changes.length < count) {
    const { done, value } = await iterator.next();
    if (done) break;
    changes.push(value);
  }
  return changes;
}

/** The sequence numbers of changes; a gap is 0. */
export function sequences(changes: readonly Change[]): number[] {
  return changes.map((change) => change.member?.sequence ?? 0);
}
