import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeFeed } from '../../src/gtfs-rt/decode-feed.ts';
import { encodeFeed } from '../../src/gtfs-rt/encode-feed.ts';
import type { FeedEntity } from '../../src/gtfs-rt/feed-message.ts';
import { wireMessages } from '../../src/gtfs-rt/wire-messages.ts';
import { arbitraryFeed } from './arbitrary-feed.ts';
import { feedOf } from './sample-feed.ts';

test('GTFS-2 what is written reads back the same over the whole descriptor, set or not set', () => {
  fc.assert(
    fc.property(arbitraryFeed, (feed) => {
      const decoded = decodeFeed(encodeFeed(feed));
      expect(decoded.feed).toStrictEqual(feed);
      expect(decoded.unknownFields).toEqual({});
      expect(decoded.skippedEntities).toEqual([]);
    }),
    { numRuns: 150 },
  );
});

test('GTFS-2 the generated feeds set every field of every message', () => {
  const seen = new Set<string>();
  const walk = (value: unknown) => {
    if (Array.isArray(value)) for (const one of value) walk(one);
    else if (typeof value === 'object' && value !== null) {
      for (const [key, inner] of Object.entries(value)) {
        seen.add(key);
        walk(inner);
      }
    }
  };
  for (const feed of fc.sample(arbitraryFeed, { numRuns: 300, seed: 1 })) walk(feed);
  const fields = Object.values(wireMessages).flatMap((message) => Object.keys(message));
  expect([...new Set(fields)].filter((field) => !seen.has(field))).toEqual([]);
});

test('GTFS-2 what is unknown is written again byte for byte', () => {
  const bytes = encodeFeed(feedOf([{ id: 'a' }]));
  const extended = new Uint8Array([...bytes, 0xf8, 0x3e, 0x05]);
  expect(encodeFeed(decodeFeed(extended).feed)).toEqual(extended);
});

test('GTFS-2 a value that its field cannot hold is refused', () => {
  const entity: FeedEntity = { id: 'a', vehicle: { current_stop_sequence: -1 } };
  expect(() => encodeFeed(feedOf([entity]))).toThrow(/uint32/);
});
