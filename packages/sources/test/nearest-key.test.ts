import { expect, test } from 'vitest';
import { nearestKey } from '../src/nearest-key.ts';

const known = ['publicUrl', 'store', 'streams'];

test.each([
  ['publicURL', 'publicUrl'],
  ['publicUri', 'publicUrl'],
  ['public_url', 'publicUrl'],
  ['stream', 'streams'],
  ['Store', 'store'],
])('%s was meant to be %s', (key, meant) => {
  expect(nearestKey(key, known)).toBe(meant);
});

test.each(['retention', 'url', ''])('"%s" is near to none', (key) => {
  expect(nearestKey(key, known)).toBeUndefined();
});
