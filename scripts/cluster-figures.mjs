// `node scripts/cluster-figures.mjs latency|readers [--quick]`: figures of a cluster whose parts all run on this machine.
//   latency  from a commit on the node that writes until another shows it, at 100 and 1,000 members a second; appends a
//            second, beside a store in LMDB alone
//   readers  two nodes with two workers each, 40,000 readers by push, one update every 10 s
import { fork, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { openLmdbStore } from '../packages/log/dist/index.js';
import { openNatsStore } from '../packages/log/dist/nats/index.js';
import { describeStream, literal, namedNode, quad } from '../packages/rdf-stream/dist/index.js';

const [, self, what, ...rest] = process.argv;
const isQuick = rest.includes('--quick');
const PUBLIC_URL = 'http://127.0.0.1:3000/';
const PORTS = [14_801, 14_802, 14_803];
const STREAM = describeStream({ publicUrl: PUBLIC_URL, name: 'vehicles' });
const COMMAND = fileURLToPath(new URL('../packages/cli/bin/ldes-live.js', import.meta.url));
const seconds = isQuick ? 5 : 30;

/** A vehicle as 16 statements, about 2 kB. */
function draft(number, state) {
  const entity = `${PUBLIC_URL}vehicles/entities/${number}`;
  const quads = Array.from({ length: 16 }, (_, index) =>
    quad(
      namedNode(entity),
      namedNode(`http://example.org/terms#property${index}`),
      literal(`${state} of ${index} `.repeat(3)),
    ),
  );
  return { kind: 'upsert', entity, origin: 'feed', fingerprint: `${state}`, quads };
}

async function startNats(folder, count) {
  const routes = PORTS.slice(0, count).map((port) => `nats://127.0.0.1:${port + 1000}`);
  const servers = PORTS.slice(0, count).map((port, index) => {
    const cluster = [
      '-cluster_name',
      'figures',
      '-cluster',
      `nats://127.0.0.1:${port + 1000}`,
      '-routes',
      routes.join(),
    ];
    const args = ['-a', '127.0.0.1', '-p', port, '-n', `n${index}`, '-js', '-sd', join(folder, `nats-${index}`)];
    return spawn('nats-server', [...args, ...(count > 1 ? cluster : [])].map(String), { stdio: 'ignore' });
  });
  await delay(1000);
  return {
    urls: PORTS.slice(0, count).map((port) => `nats://127.0.0.1:${port}`),
    close: () =>
      Promise.all(
        servers.map((server) => {
          server.kill();
          return once(server, 'exit');
        }),
      ),
  };
}

const nowMs = () => Number(process.hrtime.bigint()) / 1e6;
const quantile = (sorted, share) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
const figures = (values) => {
  const sorted = [...values].sort((a, b) => a - b);
  const [p50, p99] = [quantile(sorted, 0.5), quantile(sorted, 0.99)].map((value) => value.toFixed(1));
  return `p50 ${p50}, p99 ${p99}, max ${sorted.at(-1).toFixed(1)} ms of ${sorted.length}`;
};

const openNode = (urls, node, path, isCandidate) =>
  openNatsStore({
    ...{ servers: urls, replicas: urls.length, node, url: PUBLIC_URL, isCandidate, path },
    ...{ clock: Date.now, random: Math.random },
  });

/** A follower as a process of its own: says when it knows of each sequence. */
async function follow(urls, path) {
  const store = await openNode(urls.split(','), 'follower', path, false);
  const log = await store.open(STREAM);
  const seen = [];
  log.subscribe(({ cursor }) => seen.push([cursor.sequence, nowMs()]));
  process.send('ready');
  await once(process, 'message');
  await log.caughtUp();
  process.send(seen);
  await store.close();
  process.disconnect();
}

async function measureLatency(folder, servers) {
  const nats = await startNats(folder, servers);
  const store = await openNode(nats.urls, 'writer', join(folder, 'writer'), true);
  const log = await store.open(STREAM);
  for (const perSecond of [100, 1000]) {
    const follower = fork(self, ['follow', nats.urls.join(), join(folder, `follower-${perSecond}`)]);
    await once(follower, 'message');
    const appended = new Map();
    for (let commit = 0; commit < seconds * 10; commit += 1) {
      const due = delay(100);
      const startedMs = nowMs();
      const drafts = Array.from({ length: perSecond / 10 }, (_, number) => draft(number, `${perSecond}-${commit}`));
      const { cursor } = await log.append(drafts);
      appended.set(cursor.sequence, [startedMs, nowMs()]);
      await due;
    }
    follower.send('end');
    const [seen] = await once(follower, 'message');
    const known = seen.filter(([sequence]) => appended.has(sequence));
    const sinceCommit = known.map(([sequence, atMs]) => atMs - appended.get(sequence)[1]);
    const sinceAppend = known.map(([sequence, atMs]) => atMs - appended.get(sequence)[0]);
    const appends = [...appended.values()].map(([from, to]) => to - from);
    console.log(`${servers} NATS, ${perSecond} members/s, 10 commits/s, ${seconds} s`);
    console.log(`  append: ${figures(appends)}`);
    console.log(
      `  visible on the follower after the commit on the writer: ${figures(sinceCommit)}; after the append: ${figures(sinceAppend)}`,
    );
  }
  await appendRates(`${servers} NATS`, log);
  await store.close();
  await nats.close();
}

async function appendRates(name, log) {
  for (const members of [1, 20, 250]) {
    const endMs = nowMs() + (seconds / 3) * 1000;
    let commits = 0;
    const startedMs = nowMs();
    while (nowMs() < endMs) {
      await log.append(Array.from({ length: members }, (_, number) => draft(number, `${members}-${commits}`)));
      commits += 1;
    }
    const perSecond = (commits / (nowMs() - startedMs)) * 1000;
    console.log(
      `  ${name}: ${perSecond.toFixed(0)} appends/s of ${members} members, one after the other (${(perSecond * members).toFixed(0)} members/s)`,
    );
  }
}

/** Readers as a process of its own: how late each event comes, by the time that is said of its first member. */
async function load(port, count) {
  const delaysMs = [];
  let [open, closed] = [0, 0];
  const MARK = Buffer.from('prov:generatedAtTime":"');
  const sockets = [];
  for (let index = 0; index < count; index += 1) {
    const socket = connect(Number(port), '127.0.0.1');
    sockets.push(socket);
    let lastMs = 0;
    socket.on('connect', () =>
      socket.write(`GET /vehicles/events HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n\r\n`),
    );
    socket.once('data', () => {
      open += 1;
    });
    socket.on('data', (bytes) => {
      const at = bytes.indexOf(MARK);
      if (at < 0) return;
      const publishedMs = Date.parse(bytes.toString('latin1', at + MARK.length, at + MARK.length + 24));
      if (publishedMs === lastMs) return;
      lastMs = publishedMs;
      delaysMs.push(Date.now() - publishedMs);
    });
    socket.on('close', () => {
      closed += 1;
    });
    socket.on('error', () => {});
    if (index % 100 === 99) await delay(25);
  }
  while (open < count) {
    await delay(100);
    if (closed > 0) throw new Error(`${closed} connections of ${count} were closed`);
  }
  process.send('ready');
  process.on('message', () => {
    process.send({ delaysMs: delaysMs.splice(0), closed });
  });
  process.on('disconnect', () => process.exit());
}

async function residentMiB(pids) {
  const texts = await Promise.all(pids.map((pid) => readFile(`/proc/${pid}/status`, 'utf8')));
  return texts.map((text) => Math.round(Number(/VmRSS:\s+(\d+)/.exec(text)[1]) / 1024));
}

async function measureReaders(folder) {
  const readers = isQuick ? 4000 : 40_000;
  const updates = isQuick ? 3 : 12;
  const nats = await startNats(folder, 3);
  const token = 'figures';
  const hash = createHash('sha256').update(token).digest('hex');
  const ports = [3000, 3001];
  const nodes = await Promise.all(
    ports.map(async (port, index) => {
      const own = join(folder, `node-${index}`);
      await mkdir(own);
      await writeFile(
        join(own, 'config.yml'),
        `publicUrl: ${PUBLIC_URL}\nstore: ${JSON.stringify(nats.urls)}\nnode: node-${index}\nstreams:\n  vehicles: { source: { post: true, tokens: ["${hash}"] } }\n`,
      );
      const node = spawn(
        process.execPath,
        [COMMAND, 'serve', 'config.yml', '--port', String(port), '--workers', '2', '--no-web'],
        {
          cwd: own,
          stdio: 'ignore',
        },
      );
      while (!(await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined))?.ok) await delay(100);
      return node;
    }),
  );
  const post = async (update) => {
    const body = Array.from({ length: 20 }, (_, number) => {
      const entity = `<${PUBLIC_URL}vehicles/entities/${number}>`;
      return `${entity} <http://example.org/terms#state> "${update} of ${number}" ; <http://example.org/terms#note> "${'x'.repeat(60)}" .`;
    }).join('\n');
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'text/turtle' };
    const response = await fetch(`http://127.0.0.1:${ports[update % 2]}/vehicles`, { method: 'POST', headers, body });
    if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
  };
  await post(0);
  const event = await (async () => {
    const response = await fetch(`http://127.0.0.1:${ports[0]}/vehicles/events?from=latest`);
    const reader = response.body.getReader();
    let bytes = 0;
    for (;;) {
      const { value } = await reader.read();
      bytes += value.length;
      if (Buffer.from(value).includes('event: update')) break;
    }
    await reader.cancel();
    return bytes;
  })();
  const processes = 4;
  const loads = Array.from({ length: processes }, (_, index) =>
    fork(self, ['load', ports[index % 2], readers / processes]),
  );
  await Promise.all(loads.map((child) => once(child, 'message')));
  console.log(`${readers} readers on 2 nodes of 2 workers, events of about ${event} bytes`);
  for (let update = 1; update <= updates; update += 1) {
    const due = delay(10_000);
    await post(update);
    await due;
    const reports = await Promise.all(
      loads.map(async (child) => {
        child.send('report');
        const [report] = await once(child, 'message');
        return report;
      }),
    );
    const delays = reports.flatMap(({ delaysMs }) => delaysMs);
    const closed = reports.reduce((sum, report) => sum + report.closed, 0);
    console.log(`  update ${update}: ${delays.length} of ${readers} delivered, ${figures(delays)}, ${closed} closed`);
  }
  console.log(`  resident memory of the owners: ${(await residentMiB(nodes.map(({ pid }) => pid))).join(', ')} MiB`);
  for (const child of loads) child.disconnect();
  for (const node of nodes) node.kill();
  await Promise.all(nodes.map((node) => once(node, 'exit')));
  await nats.close();
}

if (what === 'follow') await follow(...rest);
else if (what === 'load') await load(...rest.map(Number));
else {
  const folder = await mkdtemp(join(tmpdir(), 'ldes-live-'));
  try {
    if (what === 'readers') await measureReaders(folder);
    else {
      const store = await openLmdbStore({ path: join(folder, 'alone'), clock: Date.now, random: Math.random });
      await appendRates('LMDB alone', await store.open(STREAM));
      await store.close();
      for (const servers of [1, 3]) await measureLatency(await mkdtemp(join(folder, 'run-')), servers);
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
