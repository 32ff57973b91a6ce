import { expect, test } from 'vitest';
import type { Packet } from '../src/push/packets/packet.ts';
import { PacketMemory, packetBytes } from '../src/push/packets/packet-memory.ts';

const BYTES = 100;

/** A packet of a hundred bytes of text. */
function packetOf(first: number, last = first): Packet {
  const nodes = Array.from({ length: last - first + 1 }, () => '');
  nodes[0] = 'x'.repeat(BYTES);
  const members = nodes.map((node) => ({ node }));
  const pieces = { context: '', stream: '', link: '', members };
  return { after: first - 1, last, id: `e-${last}`, subjects: [], pieces };
}

/** A memory with packets of one member each, the first of sequence 1. */
function memoryOf(packets: number, limitBytes: number): PacketMemory {
  const memory = new PacketMemory(limitBytes);
  for (let first = 1; first <= packets; first += 1) memory.append(packetOf(first));
  return memory;
}

test('PUSH-3 what is remembered is the same object each time, and what is left of a commit is another', () => {
  const memory = new PacketMemory(10 * BYTES);
  const [whole, rest] = [packetOf(1, 2), packetOf(2)];
  memory.append(whole);
  expect(memory.keep(rest)).toBe(rest);
  expect(memory.keep(packetOf(1, 2))).toBe(whole);
  expect([1, 2, 3].map((sequence) => memory.startingAt(sequence))).toEqual([whole, rest, undefined]);
});

test('PUSH-3 the oldest make room at the limit, and one is kept however large it is', () => {
  const held = (memory: PacketMemory) => [1, 2, 3].filter((sequence) => memory.startingAt(sequence));
  expect(packetBytes(packetOf(1))).toBe(BYTES);
  expect(held(memoryOf(3, 3 * BYTES))).toEqual([1, 2, 3]);
  expect(held(memoryOf(3, 3 * BYTES - 1))).toEqual([2, 3]);
  expect(held(memoryOf(3, 1))).toEqual([3]);
});

test('a commit that is appended takes the place of what was read of it, and room once', () => {
  const memory = new PacketMemory(2 * BYTES);
  memory.keep(packetOf(1));
  memory.append(packetOf(1));
  memory.append(packetOf(2));
  expect([1, 2].map((sequence) => memory.startingAt(sequence)?.last)).toEqual([1, 2]);
  expect(memory.bytesAfter(0)).toBe(2 * BYTES);
});

test('what follows a position is given without gaps, up to so many', () => {
  const memory = memoryOf(3, 10 * BYTES);
  memory.append(packetOf(5, 6));
  const following = (position: number, most: number) => memory.following(position, most).map(({ last }) => last);
  expect(following(0, 10)).toEqual([1, 2, 3]);
  expect(following(0, 2)).toEqual([1, 2]);
  expect(following(3, 10)).toEqual([]);
  expect(following(4, 10)).toEqual([6]);
  expect(following(5, 10)).toEqual([]);
});

test('PUSH-59 how far behind a reader is does not depend on what is read again for others', () => {
  const memory = memoryOf(3, 3 * BYTES);
  for (const first of [-30, -20, -10]) memory.keep(packetOf(first));
  expect([1, 2, 3].map((sequence) => memory.startingAt(sequence))).toEqual([undefined, undefined, undefined]);
  expect([0, 1, 2, 3].map((position) => memory.bytesAfter(position))).toEqual([3 * BYTES, 2 * BYTES, BYTES, 0]);
});

test('PUSH-9 how much follows a position is known as far back as the limit', () => {
  const memory = memoryOf(3, 2 * BYTES);
  expect([0, 1, 2, 3, 4].map((position) => memory.bytesAfter(position))).toEqual([
    undefined,
    2 * BYTES,
    BYTES,
    0,
    undefined,
  ]);
  // Of what was read from the log it is not.
  const read = new PacketMemory(10 * BYTES);
  read.keep(packetOf(1));
  read.append(packetOf(2));
  expect([0, 1, 2].map((position) => read.bytesAfter(position))).toEqual([undefined, BYTES, 0]);
});
