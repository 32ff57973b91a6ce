/* What a broker sends, over a socket that is none: the packets of one connection, cut anywhere. */
import { Duplex } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { compileMapping, createMqttSource, parseMapping } from '@ldes-live/sources';
import { generate, type Packet } from 'mqtt-packet';
import { PUBLIC_URL, Published, STREAM_URL } from '../published.ts';
import { accepted, type Outcome, refused, type Session, type Target } from '../target.ts';
import { appendDrafts } from './append.ts';

const MAPPING = compileMapping(
  parseMapping({
    subject: '{+stream}/entities/{$topic[1]}',
    properties: [
      { predicate: 'rdfs:label', path: 'name' },
      { predicate: 'schema:value', path: 'free', convert: 'integer' },
    ],
  }),
  { publicUrl: PUBLIC_URL, streamUrl: STREAM_URL, nowMs: () => 0 },
);

const LIMIT_CLOSE_MS = 1000;

/** What the broker of a test says; whatever it is told is lost. */
class BrokerSocket extends Duplex {
  override _read(): void {}

  override _write(_chunk: Buffer, _encoding: string, done: () => void): void {
    done();
  }

  override _final(done: () => void): void {
    this.push(null);
    done();
  }
}

async function open(): Promise<Session> {
  const published = await Published.open();
  const run = async (input: Uint8Array): Promise<Outcome> => {
    const ending = new AbortController();
    const socket = new BrokerSocket();
    let error: string | undefined;
    const source = createMqttSource(
      {
        url: 'mqtt://broker.example',
        clientId: 'fuzz',
        // A CONNACK of MQTT 5 has properties.
        version: input[1] === 2 ? 4 : 5,
        topics: [{ filter: 'sensors/+', qos: 1 }],
        mapping: MAPPING,
        limits: { limitPacketBytes: 10_000 },
      },
      {
        clock: () => Date.parse('2026-01-01T00:00:10Z'),
        random: () => 0.5,
        openSocket: async () => socket,
        // No time passes but for the close of a socket, which may take this long.
        sleep: (ms, signal) =>
          new Promise((resolve, reject) => {
            if (ms <= LIMIT_CLOSE_MS) setImmediate(resolve);
            signal.addEventListener('abort', () => reject(signal.reason), { once: true });
          }),
      },
    );
    source.onPoll((event) => {
      if (event.kind !== 'failed') return;
      error = event.error.code;
      ending.abort();
    });
    const reading = (async () => {
      for await (const batch of source.drafts(published.log.latest, ending.signal))
        await appendDrafts(published, batch);
    })();
    // Who waits for it below gets the error; it is nobody's yet.
    reading.catch(() => undefined);
    await turn();
    const cut = input.length >> 1;
    for (const part of [input.subarray(0, cut), input.subarray(cut)]) {
      if (part.length > 0 && !socket.destroyed && !socket.writableEnded) socket.push(part);
      await turn();
    }
    for (let waited = 0; waited < 3 && error === undefined; waited += 1) await turn();
    if (!socket.destroyed && !socket.readableEnded) socket.push(null);
    await turn();
    ending.abort();
    await reading;
    const { errors, findings } = source.health();
    const codes = [...Object.keys(errors), ...Object.keys(findings)].sort().join(' ');
    return error === undefined || error === 'ERR_MQTT_DISCONNECTED' ? accepted(codes) : refused(codes);
  };
  return { run, check: () => published.check(), close: () => published.close() };
}

function packets(version: 4 | 5, ...said: readonly Packet[]): Uint8Array {
  const begun: Packet[] = [
    { cmd: 'connack', sessionPresent: false, reasonCode: 0, returnCode: 0 },
    { cmd: 'suback', messageId: 1, granted: [1] },
  ];
  return Buffer.concat([...begun, ...said].map((packet) => generate(packet, { protocolVersion: version })));
}

const message = (messageId: number, payload: string, more: object = {}): Packet => ({
  ...{ cmd: 'publish', topic: 'sensors/a', payload, qos: 1, dup: false, retain: false, messageId },
  ...more,
});

export const mqttTarget: Target = {
  name: 'mqtt',
  grammar: 'mqtt',
  words: [
    'sensors/a',
    'sensors/+',
    '#',
    '{"name":"x"}',
    '{"free":1}',
    '\0',
    '\0\x05',
    '\x23\0\x01',
    '\x08',
    '\x26',
    '\u{1f68b}',
  ],
  limitBytes: 65_536,
  seeds: () => [
    packets(
      5,
      message(1, '{"name":"x","free":1}', { properties: { topicAlias: 1 } }),
      message(2, '{"name":"y"}', { topic: '', properties: { topicAlias: 1 } }),
    ),
    packets(5, message(3, '{"free":"x"}', { properties: { topicAlias: 1, userProperties: { a: 'b' } } }), {
      cmd: 'pingresp',
    }),
    packets(4, message(1, '{"name":"x"}'), message(0, '', { qos: 0 }), message(7, '{"free":5}')),
    packets(5, message(1, ''), { cmd: 'disconnect', reasonCode: 0x8b, properties: { reasonString: 'r' } }),
  ],
  open,
};
