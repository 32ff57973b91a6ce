/* Changes of inputs that have a structure: JSON values, fields of protobuf, packets of MQTT.
 *
 * Each takes the input apart, changes a part, and puts it together so that lengths fit again. What cannot be taken apart
 * is changed as bytes. */
import { changedBytes, type Material, NUMBERS, TEXTS, timesOf } from './material.ts';
import type { Random } from './random.ts';

/** Changes a value within JSON. */
export function changedJson(input: Uint8Array, material: Material): Uint8Array {
  const root = parsedJson(input);
  if (root === undefined) return changedBytes(input, material);
  const places = placesOf(root.value);
  const place = material.random.pick(places);
  try {
    const changed = changedAt(root.value, place, jsonChange(material, root.value));
    return Buffer.from(JSON.stringify(changed) ?? '');
  } catch (error) {
    // It nests deeper than can be written.
    if (!(error instanceof RangeError)) throw error;
    return changedBytes(input, material);
  }
}

function parsedJson(input: Uint8Array): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(Buffer.from(input).toString()) };
  } catch {
    return undefined;
  }
}

type Path = readonly string[];

const LIMIT_PLACES = 500;

function placesOf(root: unknown): Path[] {
  const places: Path[] = [[]];
  for (let index = 0; index < places.length && places.length < LIMIT_PLACES; index += 1) {
    const at = places[index] as Path;
    const value = valueAt(root, at);
    if (typeof value === 'object' && value !== null) places.push(...Object.keys(value).map((key) => [...at, key]));
  }
  return places;
}

function valueAt(root: unknown, path: Path): unknown {
  return path.reduce((value, key) => (value as Record<string, unknown>)[key], root);
}

type Entries = readonly (readonly [key: string, value: unknown])[];

/** What takes the place of an entry: none, one or several. */
type EntryChange = (key: string, value: unknown) => Entries;

function changedAt(value: unknown, [key, ...rest]: Path, change: EntryChange): unknown {
  if (key === undefined) return change('', value)[0]?.[1];
  const entries = Object.entries(value as object).flatMap(([name, inner]): Entries => {
    if (name !== key) return [[name, inner]];
    return rest.length === 0 ? change(name, inner) : [[name, changedAt(inner, rest, change)]];
  });
  // Without a prototype, so that `__proto__` is a key like others.
  return Array.isArray(value)
    ? entries.map(([, inner]) => inner)
    : Object.assign(Object.create(null), Object.fromEntries(entries));
}

function jsonChange(material: Material, root: unknown): EntryChange {
  const { random, target, other } = material;
  const text = () => random.pick(random.oneIn(3) ? TEXTS : target.words);
  const scalar = () => random.pick([text(), random.pick(NUMBERS), true, false, null, [], {}]);
  const found = (from: unknown) => valueAt(from, random.pick(placesOf(from)));
  const changes: EntryChange[] = [
    () => [],
    (key) => [[key, scalar()]],
    (key, value) => [
      [key, value],
      [text(), scalar()],
    ],
    (_key, value) => [[text(), value]],
    (key) => [[key, found(root)]],
    (key) => [[key, found(parsedJson(other())?.value ?? null)]],
    (key, value) => [[key, [value, value]]],
    (key, value) => [[key, { [text()]: value }]],
    (key, value) => [[key, nestedJson(value, random, text())]],
    (key, value) => [[key, manyJson(value, random)]],
    (key, value) => [[key, typeof value === 'string' ? value + text() : [value]]],
  ];
  return random.pick(changes);
}

function nestedJson(value: unknown, random: Random, key: string): unknown {
  let nested = value;
  const isList = random.oneIn(2);
  for (let depth = 1 << random.below(9); depth > 0; depth -= 1) nested = isList ? [nested] : { [key]: nested };
  return nested;
}

function manyJson(value: unknown, random: Random): unknown {
  const times = timesOf(random, random.oneIn(10) ? 12 : 6, JSON.stringify(value)?.length ?? 1);
  if (typeof value === 'string') return value.repeat(times);
  if (Array.isArray(value)) return Array.from({ length: times }).flatMap(() => value);
  if (typeof value !== 'object' || value === null) return Array(times).fill(value);
  const numbered = (index: number) => Object.entries(value).map(([key, inner]) => [`${key}${index}`, inner]);
  return Object.fromEntries(Array.from({ length: times }, (_, index) => index).flatMap(numbered));
}

/** A field of protobuf; `content`: its bytes behind the tag, or its fields where these are those of a message. */
interface Field {
  readonly number: number;
  readonly wire: number;
  readonly content: Uint8Array | readonly Field[];
}

/** Changes a field within a message of protobuf. @see https://protobuf.dev/programming-guides/encoding/ */
export function changedProtobuf(input: Uint8Array, material: Material): Uint8Array {
  const fields = fieldsOf(input);
  return fields && fields.length > 0 ? encoded(changedFields(fields, material)) : changedBytes(input, material);
}

const LIMIT_FIELD_DEPTH = 8;

function fieldsOf(bytes: Uint8Array, depth = 0): Field[] | undefined {
  const fields: Field[] = [];
  for (let at = 0; at < bytes.length; ) {
    const tag = varintAt(bytes, at);
    if (!tag || tag.value < 8) return undefined;
    const [number, wire] = [Math.floor(tag.value / 8), tag.value % 8];
    const start = at + tag.length;
    const length = contentLength(bytes, start, wire);
    if (length === undefined || start + length > bytes.length) return undefined;
    const content = bytes.subarray(start, start + length);
    const inner = wire === 2 ? content.subarray(varintAt(content, 0)?.length) : undefined;
    const message = inner && inner.length > 1 && depth < LIMIT_FIELD_DEPTH ? fieldsOf(inner, depth + 1) : undefined;
    fields.push({ number, wire, content: message ?? inner ?? content });
    at = start + length;
  }
  return fields;
}

function contentLength(bytes: Uint8Array, at: number, wire: number): number | undefined {
  if (wire === 1) return 8;
  if (wire === 5) return 4;
  const varint = varintAt(bytes, at);
  if (wire === 0 || !varint) return varint?.length;
  return wire === 2 ? varint.length + varint.value : undefined;
}

function varintAt(bytes: Uint8Array, at: number): { readonly value: number; readonly length: number } | undefined {
  let value = 0;
  for (let length = 1; length <= 10; length += 1) {
    const byte = bytes[at + length - 1];
    if (byte === undefined) return undefined;
    value += (byte & 127) * 128 ** (length - 1);
    if (byte < 128) return { value, length };
  }
  return undefined;
}

function varint(value: number): number[] {
  const bytes: number[] = [];
  for (let rest = Math.max(0, Math.floor(value)); bytes.length < 10; rest = Math.floor(rest / 128)) {
    bytes.push((rest % 128) + (rest >= 128 ? 128 : 0));
    if (rest < 128) break;
  }
  return bytes;
}

function encoded(fields: readonly Field[]): Uint8Array {
  const parts = fields.flatMap(({ number, wire, content }) => {
    const bytes = content instanceof Uint8Array ? content : encoded(content);
    const length = wire === 2 ? varint(bytes.length) : [];
    return [Buffer.from([...varint(number * 8 + wire), ...length]), bytes];
  });
  return Buffer.concat(parts);
}

function changedFields(fields: readonly Field[], material: Material): readonly Field[] {
  const { random } = material;
  const [from, to] = random.range(fields.length);
  const splice = (...put: readonly Field[]) => [...fields.slice(0, from), ...put, ...fields.slice(to)];
  const field = fields[from] as Field;
  if (!(field.content instanceof Uint8Array) && !random.oneIn(4)) {
    return fields.with(from, { ...field, content: changedFields(field.content, material) });
  }
  const part = fields.slice(from, to);
  switch (random.below(8)) {
    case 0:
      return splice();
    case 1:
      return splice(...part, ...part);
    case 2:
      return splice(...Array.from({ length: timesOf(random, 10, encoded(part).length) }, () => part).flat());
    case 3:
      return fields.with(from, { ...field, number: 1 + random.below(random.oneIn(4) ? 3000 : 20) });
    case 4:
      return fields.with(from, nestedField(field, random));
    case 5:
      return [...fields.slice(0, from), madeField(material), ...fields.slice(from)];
    default:
      return fields.with(from, { ...field, content: changedContent(field, material) });
  }
}

function changedContent({ wire, content }: Field, material: Material): Uint8Array {
  const { random, target } = material;
  if (wire === 0) return Buffer.from(random.oneIn(4) ? Array(9).fill(255).concat(1) : varint(random.pick(NUMBERS)));
  const bytes = content instanceof Uint8Array ? content : encoded(content);
  if (wire !== 2) return Buffer.from(Array.from(bytes, () => random.pick([0, 0x7f, 0x80, 0xc0, 0xf0, 0xff])));
  if (random.oneIn(2)) return changedBytes(bytes, material);
  return Buffer.from(random.oneIn(2) ? random.pick(TEXTS) : random.pick(target.words));
}

function nestedField(field: Field, random: Random): Field {
  let nested = field;
  for (let depth = 1 << random.below(8); depth > 0; depth -= 1)
    nested = { number: field.number, wire: 2, content: [nested] };
  return nested;
}

function madeField(material: Material): Field {
  const { random } = material;
  const field = { number: 1 + random.below(30), wire: random.pick([0, 1, 2, 2, 5]), content: Buffer.alloc(8) };
  return { ...field, content: field.wire === 5 ? Buffer.alloc(4, random.below(256)) : changedContent(field, material) };
}

/** Changes a packet of MQTT within several; the lengths of packets fit. */
export function changedMqtt(input: Uint8Array, material: Material): Uint8Array {
  const { random, other } = material;
  const packets = packetsOf(input);
  if (packets.length === 0) return changedBytes(input, material);
  const [from, to] = random.range(packets.length);
  const splice = (...put: readonly Packet[]) => [...packets.slice(0, from), ...put, ...packets.slice(to)];
  const part = packets.slice(from, to);
  const { first, body } = packets[from] as Packet;
  const changes: (() => readonly Packet[])[] = [
    () => splice(),
    () => splice(...part, ...part),
    () =>
      splice(
        ...Array.from(
          {
            length: timesOf(
              random,
              9,
              part.reduce((sum, { body: { length } }) => sum + length, 0),
            ),
          },
          () => part,
        ).flat(),
      ),
    () => packets.with(from, { first: random.below(256), body }),
    () => packets.with(from, { first: first ^ (1 << random.below(4)), body }),
    () => splice(...packetsOf(other())),
    () => packets.with(from, { first, body: Buffer.concat([body, Buffer.from(random.pick(material.target.words))]) }),
    () => packets.with(from, { first, body: changedBytes(body, material) }),
    () => packets.with(from, { first, body: changedBytes(body, material) }),
  ];
  const joined = random.pick(changes)();
  return Buffer.concat(joined.flatMap((one) => [Buffer.from([one.first, ...varint(one.body.length)]), one.body]));
}

interface Packet {
  readonly first: number;
  readonly body: Uint8Array;
}

function packetsOf(bytes: Uint8Array): Packet[] {
  const packets: Packet[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = varintAt(bytes, at + 1);
    if (!length) break;
    const start = at + 1 + length.length;
    packets.push({ first: bytes[at] as number, body: bytes.subarray(start, start + length.value) });
    at = start + length.value;
  }
  return packets;
}
