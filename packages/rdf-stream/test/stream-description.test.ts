import { expect, test } from 'vitest';
import { describeStream, ownNamespace } from '../src/index.ts';

test('DOC-1 a stream is at its name below the public URL, and the stream itself is a fragment of its root', () => {
  expect(
    describeStream({ publicUrl: 'https://live.example.org/', name: 'vehicles', title: 'Vehicle positions' }),
  ).toEqual({
    name: 'vehicles',
    title: 'Vehicle positions',
    publicUrl: 'https://live.example.org/',
    url: 'https://live.example.org/vehicles',
    iri: 'https://live.example.org/vehicles#stream',
    sequencePath: 'https://w3id.org/ldes-live/terms#sequence',
    about: {},
  });
  expect(describeStream({ publicUrl: 'http://localhost/', name: 'water' }).title).toBe('water');
});

test('DOC-16 own vocabularies are documents of the server', () => {
  expect(ownNamespace('http://localhost:3000/', 'rt')).toBe('http://localhost:3000/ns/rt#');
});
