import { Duplex } from 'node:stream';
import { type Packet, parser } from 'mqtt-packet';
import type { SessionSettings } from '../../src/mqtt/session-settings.ts';

/** Settings of a session, as tests need them. */
export function settingsOf(changes: Partial<SessionSettings> = {}): SessionSettings {
  return {
    broker: 'mqtt://broker.example',
    version: 5,
    clientId: 'ldes-live-test',
    topics: [{ filter: 'sensors/+', qos: 1 }],
    sessionExpirySeconds: 3600,
    keepAliveSeconds: 30,
    limitPacketBytes: 100_000,
    limitWaitingMessages: 100,
    limitTopicAliases: 2,
    limitConnectMs: 10_000,
    isSubscribed: false,
    ...changes,
  };
}

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

/** A socket whose other end is a test. */
export class PairedSocket extends Duplex {
  /** What was written to it. */
  readonly written: Buffer[] = [];

  override _read(): void {}

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.written.push(chunk);
    done();
  }

  override _final(done: () => void): void {
    // The other end closes when this one has.
    this.push(null);
    done();
  }
}
