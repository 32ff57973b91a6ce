import { readFileSync } from 'node:fs';
import { createFileRegistry, type DescMessage, fromBinary } from '@bufbuild/protobuf';
import { FileDescriptorProtoSchema } from '@bufbuild/protobuf/wkt';

const bytes = readFileSync(new URL('gtfs-realtime.binpb', import.meta.url));
const registry = createFileRegistry(fromBinary(FileDescriptorProtoSchema, bytes), () => undefined);

/** The official messages, by the name that they have here: the last part of theirs. */
export const officialMessages: ReadonlyMap<string, DescMessage> = new Map(
  [...registry].flatMap((type) => (type.kind === 'message' ? [[type.name, type] as const] : [])),
);

/** The official message of a name. */
export function official(name: string): DescMessage {
  const message = officialMessages.get(name);
  if (!message) throw new Error(`GTFS-Realtime has no message ${name}`);
  return message;
}
