import { expect, test } from 'vitest';
import {
  describeStream,
  formatSourceState,
  parseSourceState,
  parseSourceStatus,
  type StreamOptions,
  sourceStateOf,
} from '../src/index.ts';

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

test('PUSH-65, DOC-80 a stream fails since the first of its sources that fails now began to, in whole seconds wherever it says so', () => {
  const failing = [{ failingSince: '2026-01-01T12:00:10.250Z' }, {}, { failingSince: '2026-01-01T12:00:05.900Z' }];
  expect(formatSourceState(sourceStateOf([{}, {}]))).toBe('ok');
  expect(formatSourceState(sourceStateOf([]))).toBe('ok');
  expect(sourceStateOf(failing)).toEqual({ kind: 'failing', sinceMs: Date.UTC(2026, 0, 1, 12, 0, 5) });
  expect(formatSourceState(sourceStateOf(failing))).toBe('failing;since=@1767268805');
});

const FAILING = { kind: 'failing', sinceMs: 1_767_268_805_000 } as const;

test.each([
  ['ok', { kind: 'ok' }],
  [' ok ; since=@5', { kind: 'ok' }],
  [formatSourceState(FAILING), FAILING],
  ['failing; code="a;b" ;since=@1767268805 ; polls=3', FAILING],
  ['failing;since=@-1', { kind: 'failing', sinceMs: -1000 }],
  ['failing;since=@8640000000000', { kind: 'failing', sinceMs: 8.64e15 }],
  [formatSourceState({ ...FAILING, completeToMs: 5000 }), { ...FAILING, completeToMs: 5000 }],
  ['failing;complete-to=@5;since=@1767268805', { ...FAILING, completeToMs: 5000 }],
  ['failing;since=@1767268805;complete-to=soon', FAILING],
  // Past what a date can be.
  ['failing;since=@8640000000001', undefined],
  ['failing', undefined],
  ['failing;since=1767268805', undefined],
  ['failing;since=@1e9', undefined],
  ['', undefined],
  ['okay', undefined],
])('the field LDES-Source: %j is %o', (field, state) => {
  expect(parseSourceState(field)).toEqual(state);
});

test.each([
  ['{"source":"ok"}', { kind: 'ok' }],
  ['{"source":"failing","since":"2026-01-01T12:00:05.000Z"}', FAILING],
  [
    '{"source":"failing","since":"2026-01-01T12:00:05.000Z","completeTo":"1970-01-01T00:00:05.000Z"}',
    { ...FAILING, completeToMs: 5000 },
  ],
  ['{"source":"failing","since":"2026-01-01T12:00:05.000Z","completeTo":"then"}', FAILING],
  ['{"source":"failing","since":"then"}', undefined],
  ['{"source":"failing"}', undefined],
  ['{"source":"asleep"}', undefined],
  ['null', undefined],
  ['ok', undefined],
])('PUSH-65 the data of a status: %j is %o', (data, state) => {
  expect(parseSourceStatus(data)).toEqual(state);
});

test.each([{ name: 5 }, { name: undefined }, { publicUrl: undefined }, { publicUrl: new URL('https://a.example/') }])(
  'a stream of %o is none',
  (wrong) => {
    const options = { publicUrl: 'https://live.example.org/', name: 'vehicles', ...wrong } as unknown as StreamOptions;
    expect(() => describeStream(options)).toThrow(expect.objectContaining({ code: 'ERR_STREAM_DESCRIPTION' }));
  },
);
