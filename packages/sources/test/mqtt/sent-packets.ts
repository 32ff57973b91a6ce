import { type Packet, parser } from 'mqtt-packet';

/** Reads what a client sent, by the codec alone. */
export function sentPackets(sends: readonly Uint8Array[] | undefined, version: 4 | 5): Packet[] {
  const packets: Packet[] = [];
  const reading = parser({ protocolVersion: version });
  reading.on('packet', (packet) => packets.push(packet));
  reading.on('error', (error) => {
    throw error;
  });
  for (const bytes of sends ?? []) reading.parse(Buffer.from(bytes));
  return packets;
}
