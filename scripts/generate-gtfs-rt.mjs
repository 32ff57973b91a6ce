/* Writes packages/sources/src/gtfs/generated/gtfs-realtime.ts from the official descriptor of GTFS-Realtime: its messages as
 * types, its enumerations, and a table of what is on the wire. A test imports the text instead.
 *
 *   optional string trip_id = 1;  ->  readonly trip_id?: string;  and  trip_id: { number: 1, type: 'string' },
 *
 * Another version of the specification: put its descriptor in the place of the one that is read here. */
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { createFileRegistry, fromBinary } from '@bufbuild/protobuf';
import {
  FileDescriptorProtoSchema,
  FieldDescriptorProto_Label as Label,
  FieldDescriptorProto_Type as Type,
} from '@bufbuild/protobuf/wkt';

const sources = new URL('../packages/sources/', import.meta.url);
const descriptor = fromBinary(
  FileDescriptorProtoSchema,
  readFileSync(new URL('test/gtfs/official/gtfs-realtime.binpb', sources)),
);
const types = [...createFileRegistry(descriptor, () => undefined)];

// Messages and enumerations go by the last part of their names, but for two enumerations that share it.
const RENAMED = {
  'transit_realtime.TripDescriptor.ScheduleRelationship': 'TripScheduleRelationship',
  'transit_realtime.TripUpdate.StopTimeUpdate.ScheduleRelationship': 'StopTimeScheduleRelationship',
};
const nameOf = ({ typeName, name }) => RENAMED[typeName] ?? name;
const names = types.map(nameOf);
const twice = names.filter((name, index) => names.indexOf(name) !== index);
if (twice.length > 0) throw new Error(`Several types are called ${twice}: tell them apart in RENAMED.`);

const messages = types.filter(({ kind }) => kind === 'message');
const enums = types.filter(({ kind }) => kind === 'enum');

/** The fields as Protocol Buffers write them: by number. */
const fieldsOf = (message) =>
  message.fields
    .map((field) => {
      const { type, label } = field.proto;
      const holds = field.message ?? field.enum;
      return {
        name: field.name,
        number: field.number,
        type: Type[type].toLowerCase(),
        ...(holds && { of: nameOf(holds) }),
        ...(label === Label.REQUIRED && { required: true }),
        ...(label === Label.REPEATED && { repeated: true }),
      };
    })
    .sort((one, other) => one.number - other.number);

const typeOf = ({ type, of }) => of ?? (type === 'string' ? 'string' : type === 'bool' ? 'boolean' : 'number');
const property = (field) =>
  `  readonly ${field.name}${field.required ? '' : '?'}: ${field.repeated ? 'readonly ' : ''}${typeOf(field)}${field.repeated ? '[]' : ''};`;
const entry = ({ name, ...facts }) =>
  `    ${name}: { ${Object.entries(facts)
    .map(([key, value]) => `${key}: ${typeof value === 'string' ? `'${value}'` : value}`)
    .join(', ')} },`;
const values = (type) => type.values.map(({ name, number }) => `    ${name}: ${number},`);
const block = (head, lines, foot) => [head, ...lines, foot].join('\n');

/** What is written. */
export const text = `${[
  `/* Written by scripts/generate-gtfs-rt.mjs from the official descriptor of GTFS-Realtime, not by hand: the messages as types,
 * the enumerations, and what is on the wire. 64-bit integers are POSIX times in seconds.
 * https://gtfs.org/documentation/realtime/reference/ says what each field means. */
import type { WireMessage } from '../messages.ts';`,
  ...messages.map((message) =>
    block(`export interface ${nameOf(message)} extends WireMessage {`, fieldsOf(message).map(property), '}'),
  ),
  block(
    'export interface MessageTypes {',
    messages.map((message) => `  ${nameOf(message)}: ${nameOf(message)};`),
    '}',
  ),
  block(
    'export const enums = {',
    enums.flatMap((type) => [`  ${nameOf(type)}: {`, ...values(type), '  },']),
    '} as const;',
  ),
  enums.map((type) => `export type ${nameOf(type)} = keyof typeof enums.${nameOf(type)};`).join('\n'),
  block(
    'export const messages = {',
    messages.flatMap((message) => [`  ${nameOf(message)}: {`, ...fieldsOf(message).map(entry), '  },']),
    '} as const;',
  ),
].join('\n\n')}\n`;

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(new URL('src/gtfs/generated/gtfs-realtime.ts', sources), text);
}
