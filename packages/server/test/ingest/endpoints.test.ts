import { expect, onTestFinished, test } from 'vitest';
import { hashToken, WorkTurns } from '../../src/ingest/admission.ts';
import { PostEndpoints } from '../../src/ingest/endpoint.ts';
import type { LiveStream } from '../../src/options.ts';
import { OTHER_TOKEN, postingStreams, TOKEN } from './posting-server.ts';

test('streams that stay the same keep their endpoints, others are exchanged, and what is wrong changes nothing', async () => {
  const { streams: given, clock } = await postingStreams();
  const streams: readonly LiveStream[] = given;
  const log = { error: () => undefined, warn: () => undefined };
  const sleep = () => new Promise(() => undefined);
  const posts = new PostEndpoints({ clock, sleep, random: () => 0.5, log, turns: new WorkTurns(() => 0) });
  onTestFinished(() => posts.stop());
  (await posts.prepare(streams))();
  const [water, air] = [posts.get('water'), posts.get('air')];
  expect([water === undefined, air === undefined, posts.get('read-only')]).toEqual([false, false, undefined]);
  const again = streams.map((stream) => ({
    ...stream,
    ...structuredClone(stream.ingest && { ingest: stream.ingest }),
  }));
  (await posts.prepare(again))();
  expect([posts.get('water'), posts.get('air')]).toEqual([water, air]);
  const wrong = streams.map((stream) => (stream.ingest ? { ...stream, ingest: { tokenHashes: ['x'] } } : stream));
  await expect(posts.prepare(wrong)).rejects.toMatchObject({ code: 'ERR_TOKEN_HASH' });
  expect(posts.get('water')).toBe(water);
  const other = { tokenHashes: [hashToken(OTHER_TOKEN), hashToken(TOKEN)] };
  (await posts.prepare(streams.slice(0, 1).map((stream) => ({ ...stream, ingest: other }))))();
  expect(posts.get('water')).not.toBe(water);
  expect(posts.get('air')).toBeUndefined();
});
