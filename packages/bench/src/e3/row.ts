/** The fields of a row, in their order. */
export const ROW_FIELDS = [
  'n',
  't',
  'device',
  'site',
  'state',
  'value',
  'low',
  'high',
  'lat',
  'long',
  'charge',
  'check',
] as const;

/** A row: its number from 0 in its stream, the instant it was scheduled for (microseconds), and ten fields of a sensor. */
export type Row = readonly [
  n: number,
  t: number,
  device: string,
  site: string,
  state: string,
  value: number,
  low: number,
  high: number,
  lat: number,
  long: number,
  charge: number,
  check: string,
];

const STATES = ['steady', 'rising', 'falling', 'settled'] as const;
const SITES = 8;
const TIDE_ROWS = 6000;

/** How many sensors there are at most; a batch that is longer has rows of the first of them again. */
const DEVICES = 10_000;

/**
 * A row of some 130 bytes as JSON, the same for the same arguments.
 *
 * @param n - its number in its stream, from 0
 * @param stampMicros - the instant that it was scheduled for
 * @param slot - its place in its batch, from 0, which tells the sensor
 */
function makeRow(n: number, stampMicros: number, slot: number, seed: number): Row {
  const hash = mixed(n ^ Math.imul(slot + 1, 0x9e3779b1) ^ seed);
  const device = slot % DEVICES;
  const value = round(20 + 6 * Math.sin(n / TIDE_ROWS) + 2 * Math.sin(device) + (hash % 300) / 100);
  return [
    n,
    stampMicros,
    `water-level-sensor-${String(device).padStart(4, '0')}`,
    `harbour-basin-${(device % SITES) + 1}`,
    STATES[hash % STATES.length] as string,
    value,
    round(value - 1.5),
    round(value + 2.25),
    52 + (hash % 9973) / 10_000,
    4 + (hash % 9967) / 10_000,
    hash % 101,
    hexadecimal(hash) + hexadecimal(mixed(hash)),
  ];
}

/** The rows of a batch. @param first - number of its first row */
export function makeBatch(first: number, rows: number, stampMicros: number, seed: number): Row[] {
  return Array.from({ length: rows }, (_, slot) => makeRow(first + slot, stampMicros, slot, seed));
}

function hexadecimal(hash: number): string {
  return hash.toString(16).padStart(8, '0');
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

function mixed(value: number): number {
  let hash = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
