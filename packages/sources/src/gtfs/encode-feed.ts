import { BinaryWriter } from '@bufbuild/protobuf/wire';
import type { FeedMessage } from './feed-message.ts';
import type { MessageInTheMaking } from './read-message.ts';
import { wireEnums } from './wire-enums.ts';
import type { ScalarType } from './wire-format.ts';
import { UNKNOWN_FIELDS, type UnknownField } from './wire-message.ts';
import { type MessagePlan, type PlannedField, planOf } from './wire-plan.ts';

/**
 * Writes a GTFS-Realtime feed: exactly the fields that are set, in the order of the specification, then
 * the unknown ones as they were read.
 *
 * @throws Error - a value that its field cannot hold, such as a negative `stop_sequence`
 * @see specs/gtfs-realtime.md GTFS-2
 */
export function encodeFeed(feed: FeedMessage): Uint8Array {
  const writer = new BinaryWriter();
  writeMessage(writer, planOf('FeedMessage'), feed as unknown as MessageInTheMaking);
  return writer.finish();
}

function writeMessage(writer: BinaryWriter, plan: MessagePlan, message: MessageInTheMaking): void {
  for (const planned of plan.fields) {
    const value = message[planned.name];
    if (value === undefined) continue;
    for (const one of planned.field.repeated ? (value as unknown[]) : [value]) writeField(writer, planned, one);
  }
  for (const field of (message[UNKNOWN_FIELDS] ?? []) as UnknownField[]) {
    writer.tag(field.number, field.wireType).raw(field.bytes);
  }
}

function writeField(writer: BinaryWriter, { field, wireType, message }: PlannedField, value: unknown): void {
  writer.tag(field.number, wireType);
  if (message) {
    writer.fork();
    writeMessage(writer, message, value as MessageInTheMaking);
    writer.join();
  } else if (field.type === 'enum') {
    const values: Readonly<Record<string, number>> = wireEnums[field.values];
    writer.int32(values[value as string] as number);
  } else {
    // Each scalar type is the name of the method that writes it; the descriptor vouches for the value's type.
    (writer[field.type as ScalarType] as (value: unknown) => BinaryWriter).call(writer, value);
  }
}
