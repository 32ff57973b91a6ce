/* The worst bodies of sources within their limits: served once, over HTTP or by a broker, and taken when they are published. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import { encodeFeed } from '@ldes-live/sources';
import { generate, type Packet, parser } from 'mqtt-packet';
import { ZipFile } from 'yazl';
import { serve, type Taken } from './product.ts';
import type { Worst } from './worst.ts';

const MIB = 2 ** 20;
// As many as a feed may have; and records of five values each, a few less than a document may have.
const ENTITIES = 100_000;
const RECORDS = 195_000;

const text = (length: number) => 'x'.repeat(length);
const mapping = {
  subject: '{+base}{id}',
  properties: ['id', 'a', 'b', 'c'].map((path) => ({ path, predicate: `http://a.example/${path}` })),
};

/** A body that is served when the server has started: it is measured from then until the first commit, or the first failed poll. */
function polled(
  body: () => Uint8Array | Promise<Uint8Array>,
  sourceOf: (url: string) => object,
  { commits = 1 }: { readonly commits?: number } = {},
): () => Promise<Taken> {
  return async () => {
    const bytes = await body();
    let release: (() => void) | undefined;
    const isAllowed = new Promise<void>((resolve) => {
      release = resolve;
    });
    const answer: RequestListener = async (_request, response) => {
      await isAllowed;
      response.writeHead(200, { 'content-length': bytes.length }).end(bytes);
    };
    const feed = createServer(answer).listen(0, '127.0.0.1');
    await once(feed, 'listening');
    const url = `http://127.0.0.1:${(feed.address() as AddressInfo).port}/body`;
    const server = await serve({ streams: { things: { source: sourceOf(url) } } });
    try {
      return await server.measured(async () => {
        release?.();
        await published(server.url, commits);
      });
    } finally {
      await server.close();
      feed.closeAllConnections();
      feed.close();
    }
  };
}

const LOOK_MS = 250;
const LIMIT_MS = 900_000;

/** Waits until a stream has so many commits and no more come, or its source has failed. */
async function published(url: string, commits: number): Promise<void> {
  let before = -1;
  for (let waitedMs = 0; waitedMs < LIMIT_MS; waitedMs += LOOK_MS) {
    const metrics = await (await fetch(`${url}metrics`)).text();
    const sample = (name: string) => Number(new RegExp(`^${name}\\{[^}]*\\} (\\S+)$`, 'm').exec(metrics)?.[1] ?? 0);
    const failed = /^ldes_live_source_errors_total\{[^}]*code="(\w+)"\} [1-9]/m.exec(metrics)?.[1];
    if (failed !== undefined) throw new Error(`The source failed: ${failed}`);
    const now = sample('ldes_live_log_head_sequence');
    if (sample('ldes_live_log_commits_total') >= commits && now === before) return;
    before = now;
    await sleep(LOOK_MS);
  }
  throw new Error('The source published nothing');
}

const headers = { limits: { headers: '10m', body: '10m' } };
const EVERY = '1h';

/** Text parts until they are as long as a body may be, or as many. */
function filled(
  bytes: number,
  count: number,
  part: (index: number, length: number) => string,
  open = '',
  close = '',
): Buffer {
  const length = Math.floor((bytes - open.length - close.length) / count);
  return Buffer.from(open + Array.from({ length: count }, (_, index) => part(index, length)).join('') + close);
}

const BYTES = 32 * MIB;
const values = (length: number) => [Math.floor(length / 3), Math.floor(length / 3), Math.floor(length / 3)].map(text);

const documents = {
  json: () =>
    filled(
      BYTES,
      RECORDS,
      (index, length) => {
        const [a, b, c] = values(length - 46);
        return `${index === 0 ? ' ' : ','}{"id":"${index}","a":"${a}","b":"${b}","c":"${c}"}`;
      },
      '[',
      ']',
    ),
  ndjson: () =>
    filled(BYTES, RECORDS, (index, length) => {
      const [a, b, c] = values(length - 46);
      return `{"id":"${index}","a":"${a}","b":"${b}","c":"${c}"}\n`;
    }),
  csv: () => filled(BYTES, RECORDS, (index, length) => `${index},${values(length - 13).join(',')}\n`, 'id,a,b,c\n'),
  xml: () =>
    filled(
      BYTES,
      RECORDS,
      (index, length) => {
        const [a, b, c] = values(length - 52);
        return `<r><id>${index}</id><a>${a}</a><b>${b}</b><c>${c}</c></r>\n`;
      },
      '<all>',
      '</all>',
    ),
};
const document = (format: keyof typeof documents, more: object = {}) =>
  polled(documents[format], (url) => ({ [format]: url, every: EVERY, mapping: { ...mapping, ...more }, ...headers }));

const header = { gtfs_realtime_version: '2.0', incrementality: 'FULL_DATASET' as const, timestamp: 1_795_600_800 };

/** 28 MiB of vehicles. */
function manyVehicles(): Uint8Array {
  return encodeFeed({
    header,
    entity: Array.from({ length: ENTITIES }, (_, index) => ({
      id: `e${index}`,
      vehicle: {
        vehicle: { id: `v${index}`, label: text(120) },
        trip: { trip_id: `trip-${index}-${text(80)}`, route_id: `route-${index % 100}` },
        position: { latitude: 51 + index / 1e6, longitude: 4, bearing: index % 360, speed: index % 30 },
        timestamp: 1_795_600_800,
        stop_id: `stop-${index}`,
      },
    })),
  });
}

/** 31 MiB of trips, each nearly as large as one entity may be. */
function largeTrips(): Uint8Array {
  const stops = 9000;
  return encodeFeed({
    header,
    entity: Array.from({ length: 125 }, (_, index) => ({
      id: `e${index}`,
      trip_update: {
        trip: { trip_id: `t${index}`, route_id: 'r' },
        stop_time_update: Array.from({ length: stops }, (_, stop) => ({
          stop_sequence: stop + 1,
          stop_id: `s${stop}`,
          arrival: { delay: stop, time: 1_795_600_800 + stop },
        })),
      },
    })),
  });
}

const ROWS = 100_000;

/** 128 MiB of 300,000 stops and as many routes, packed. */
async function timetable(): Promise<Buffer> {
  const [zip, name] = [new ZipFile(), text(460)];
  const rows = (columns: string, row: (index: number) => string) =>
    Buffer.from(`${columns}\n${Array.from({ length: ROWS - 1 }, (_, index) => row(index)).join('\n')}\n`);
  zip.addBuffer(Buffer.from('agency_id,agency_name,agency_lang\nA,The Agency,en\n'), 'agency.txt');
  zip.addBuffer(
    rows('route_id,route_short_name', (index) => `${index},${index}${name}`),
    'routes.txt',
  );
  zip.addBuffer(
    rows('stop_id,stop_name,stop_lat,stop_lon', (index) => `${index},${index}${name},51.05,3.72`),
    'stops.txt',
  );
  zip.end();
  return await buffer(zip.outputStream);
}

/** A broker that accepts everything, and sends messages once it is told to. */
async function broker(messages: Iterable<readonly [topic: string, payload: Buffer]>) {
  let release: (() => void) | undefined;
  const isAllowed = new Promise<void>((resolve) => {
    release = resolve;
  });
  const server = createTcpServer((socket) => {
    const read = parser({ protocolVersion: 5 });
    const send = (packet: Packet) => socket.write(generate(packet, { protocolVersion: 5 }));
    let freed: (() => void) | undefined;
    let inFlight = 0;
    socket.on('error', () => undefined).on('data', (bytes) => read.parse(bytes));
    const publish = async () => {
      await isAllowed;
      let messageId = 0;
      for (const [topic, payload] of messages) {
        messageId = (messageId % 65_535) + 1;
        inFlight += 1;
        send({ cmd: 'publish', topic, payload, qos: 1, messageId, dup: false, retain: false });
        while (inFlight >= 10_000 || socket.writableNeedDrain) {
          await Promise.race([new Promise<void>((resolve) => (freed = resolve)), sleep(5)]);
        }
      }
    };
    read.on('packet', (packet) => {
      if (packet.cmd === 'connect') send({ cmd: 'connack', returnCode: 0, reasonCode: 0, sessionPresent: false });
      if (packet.cmd === 'pingreq') send({ cmd: 'pingresp' });
      if (packet.cmd === 'puback') {
        inFlight -= 1;
        freed?.();
      }
      if (packet.cmd === 'subscribe') {
        send({ cmd: 'suback', messageId: packet.messageId as number, granted: packet.subscriptions.map(() => 1) });
        void publish();
      }
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `mqtt://127.0.0.1:${(server.address() as AddressInfo).port}`,
    release: () => release?.(),
    close: () => server.close(),
  };
}

function messaged(messages: () => Iterable<readonly [topic: string, payload: Buffer]>): () => Promise<Taken> {
  return async () => {
    const from = await broker(messages());
    const byTopic = { variables: { name: { path: '$topic[1]' } }, subject: '{+base}{name}' };
    const server = await serve({
      streams: {
        things: {
          source: { mqtt: from.url, topics: ['things/+'], mapping: { ...byTopic, properties: mapping.properties } },
        },
      },
    });
    try {
      return await server.measured(async () => {
        from.release();
        await published(server.url, 1);
        await sleep(1000);
        await published(server.url, 1);
      });
    } finally {
      await server.close();
      from.close();
    }
  };
}

const lists = <Item>(length: number, item: (at: number) => Item) => Array.from({ length }, (_, at) => item(at));

const payload = (index: number, length: number) =>
  Buffer.from(JSON.stringify({ id: String(index), a: text(length), b: 'b', c: 'c' }));

export const worstSources = {
  'feed of many entities': {
    title: 'GTFS-Realtime of 100,000 vehicles, 28 MiB',
    run: polled(manyVehicles, (url) => ({ gtfsRt: url, every: EVERY, ...headers }), { commits: 100 }),
  },
  'feed of large entities': {
    title: 'GTFS-Realtime of 125 trips of 250 KiB',
    run: polled(largeTrips, (url) => ({ gtfsRt: url, every: EVERY, ...headers })),
  },
  'JSON document': { title: 'JSON of 195,000 records, 32 MiB', run: document('json') },
  'JSON lists of lists': {
    title: 'JSON of 195,000 records in 195 lists',
    run: polled(
      () => Buffer.from(JSON.stringify(lists(195, (list) => lists(1000, (at) => ({ id: 1000 * list + at }))))),
      (url) => ({ json: url, every: EVERY, mapping: { ...mapping, records: '[*][*]' }, ...headers }),
      { commits: 195 },
    ),
  },
  'NDJSON document': { title: 'NDJSON of 195,000 lines, 32 MiB', run: document('ndjson') },
  'CSV document': { title: 'CSV of 195,000 rows, 32 MiB', run: document('csv') },
  'XML document': {
    title: 'XML of 195,000 elements, 32 MiB',
    run: document('xml', { records: 'r[*]' }),
  },
  'JSON text': {
    title: 'JSON of 31 texts of 1 MiB',
    run: polled(
      () => Buffer.from(JSON.stringify(Array.from({ length: 31 }, (_, id) => ({ id, a: text(MIB - 100) })))),
      (url) => ({ json: url, every: EVERY, mapping, ...headers }),
    ),
  },
  timetable: {
    title: 'GTFS of 100,000 stops and 100,000 routes, 95 MiB',
    run: polled(timetable, (url) => ({ gtfs: url, every: EVERY, ...headers }), { commits: 200 }),
  },
  'MQTT messages': {
    title: '64 MiB of 10,000 messages',
    run: messaged(function* () {
      for (let index = 0; index < 10_000; index += 1) yield [`things/${index}`, payload(index, 6600)] as const;
    }),
  },
  'large MQTT messages': {
    title: '64 messages of 1 MiB',
    run: messaged(function* () {
      for (let index = 0; index < 64; index += 1) yield [`things/${index}`, payload(index, MIB - 200)] as const;
    }),
  },
} satisfies Record<string, Worst>;
