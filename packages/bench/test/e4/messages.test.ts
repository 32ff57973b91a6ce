import { parseNQuads } from '@ldes-live/codec';
import { expect, test } from 'vitest';
import { providerOf, readUser, replyText, requestText, updateDraft, userIri } from '../../src/e4/messages.ts';
import { findStamp, readStamp } from '../../src/load/stamp.ts';

const payloadOf = (text: string) => /"(.*)"/.exec(text)?.[1] ?? '';

test('a request says 32 bytes and a reply 256, with the instant and the user', () => {
  for (const [text, bytes] of [
    [requestText(42, 16, 123_456), 32],
    [replyText(42, 123_456), 256],
  ] as const) {
    expect(payloadOf(text)).toHaveLength(bytes);
    const buffer = Buffer.from(text);
    expect(readUser(buffer, 0, buffer.length)).toBe(42);
    expect(readStamp(buffer, findStamp(buffer, 0, buffer.length))).toBe(123_456);
    expect(parseNQuads(text).every(({ subject }) => subject.value === userIri(42))).toBe(true);
  }
});

test('an update of the server is what a reply would be', () => {
  const draft = updateDraft(7, 5);
  const quads = draft.kind === 'upsert' ? draft.quads : [];
  const posted = parseNQuads(replyText(7, 5));
  expect(quads).toHaveLength(posted.length);
  expect(quads.every((quad, index) => quad.equals(posted[index]))).toBe(true);
});

test('a user that is not whole in the bytes is not read', () => {
  const buffer = Buffer.from(userIri(42));
  expect(readUser(buffer, 0, buffer.length - 1)).toBe(-1);
});

test('providers share users evenly', () => {
  const counts = Array.from({ length: 16 }, () => 0);
  for (let user = 0; user < 16_000; user += 1) counts[providerOf(user, 16)] = (counts[providerOf(user, 16)] ?? 0) + 1;
  expect(Math.min(...counts)).toBeGreaterThan(950);
  expect(Math.max(...counts)).toBeLessThan(1050);
});
