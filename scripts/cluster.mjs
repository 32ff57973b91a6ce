// `npm run cluster [-- --config FILE] [--port 3000] [--data FOLDER]`: three NATS servers and three nodes on this machine, with
// a front before them. Kill whichever you like: nothing is started again by itself. Without a configuration they publish the
// demonstration; one that is given keeps all but its store, which these servers are.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import process from 'node:process';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ensureBuilt, ensureInstalled } from './ensure-built.mjs';

const NUMBERS = [1, 2, 3];
const { values } = parseArgs({
  options: { config: { type: 'string' }, port: { type: 'string', default: '3000' }, data: { type: 'string' } },
});
const nodePort = (number) => Number(values.port) + number - 1;
const frontPort = nodePort(NUMBERS.length + 1);
// For clients, for the other servers, and for health.
const natsPorts = (number) => [10, 20, 30].map((offset) => nodePort(number + offset));

// What reads NATS servers is among what development needs; bundles for other people's pages are not needed here.
await ensureInstalled();
await ensureBuilt({ production: true });
// Only now they are there. YAML is read as the command reads it.
const { parse } = createRequire(new URL('../packages/cli/package.json', import.meta.url))('yaml');
const { startDemoFeedServer, transitNetwork } = await import('../packages/cli/dist/demo/index.js');

const folder = resolve(values.data ?? mkdtempSync(join(tmpdir(), 'ldes-live-cluster-')));
const children = [];
const stopping = new AbortController();
const { signal: stopped } = stopping;
const isRunning = ({ exitCode, signalCode }) => exitCode === null && signalCode === null;

/** Starts a program with its output in a file, and waits until a URL answers. Its own group gets no signals of the terminal. */
async function start(name, program, args, url) {
  const log = openSync(join(folder, `${name}.log`), 'a');
  const child = spawn(program, args, { stdio: ['ignore', log, log], detached: true });
  closeSync(log);
  await once(child, 'spawn');
  children.push({ name, child });
  child.once('exit', (code, signal) => {
    if (stopped.aborted) return;
    console.log(`${name} has ended by ${signal ?? code}. To have it back: ${[program, ...args].join(' ')}`);
  });
  while (!(await fetch(url).catch(() => undefined))?.ok) {
    if (stopped.aborted || !isRunning(child)) throw new Error(`${name} does not answer: see ${folder}/${name}.log.`);
    await delay(100);
  }
}

function startNats(number) {
  const [own, route, health] = natsPorts(number);
  const routes = NUMBERS.map((each) => `nats://127.0.0.1:${natsPorts(each)[1]}`).join(',');
  const name = `nats-${number}`;
  const place = `--name ${name} --addr 127.0.0.1 --port ${own} --http_port ${health} --jetstream --cluster_name ldes`;
  const cluster = ['--cluster', `nats://127.0.0.1:${route}`, '--routes', routes, '--store_dir', join(folder, name)];
  return start(name, 'nats-server', [...place.split(' '), ...cluster], `http://127.0.0.1:${health}/healthz`);
}

/** The demonstration as a configuration. */
async function demonstration() {
  const feeds = await startDemoFeedServer(transitNetwork(2020), Date.now);
  const live = (feed) => ({
    source: { gtfsRt: { url: feeds.url(feed), timetable: 'timetable' }, every: '5s' },
    retention: { versions: 1, history: '1h', deletes: '0s' },
    queries: true,
  });
  const [vehicles, trips, alerts] = ['vehiclePositions', 'tripUpdates', 'alerts'].map(live);
  const timetable = { source: { gtfs: feeds.url('timetable') } };
  return { publicUrl: `http://localhost:${frontPort}/`, streams: { vehicles, trips, alerts, timetable } };
}

/** Starts a node. All have one configuration, but for their names and folders. */
function startNode(number, config) {
  const name = `node-${number}`;
  // Beside the one that is given, since it names files from there.
  const near = values.config && join(dirname(resolve(values.config)), `.${basename(values.config)}.${name}`);
  const file = near ?? join(folder, `${name}.yml`);
  const store = NUMBERS.map((each) => `nats://127.0.0.1:${natsPorts(each)[0]}`);
  const nats = { ...config.nats, data: join(folder, name) };
  writeFileSync(file, JSON.stringify({ ...config, store, nats, node: name }, undefined, 2));
  if (near) stopped.addEventListener('abort', () => rmSync(near, { force: true }));
  const args = ['packages/cli/bin/ldes-live.js', 'serve', file, '--port', `${nodePort(number)}`];
  return start(name, process.execPath, args, `http://127.0.0.1:${nodePort(number)}/health`);
}

/** Hands a connection to the next node that listens, so that readers have one URL whichever node dies. */
function handOn(client, turn = Math.floor(Math.random() * NUMBERS.length), left = NUMBERS.length) {
  if (left === 0) return client.destroy();
  const node = connect(nodePort(NUMBERS[turn % NUMBERS.length]), '127.0.0.1');
  const onRefused = () => handOn(client, turn + 1, left - 1);
  return node.once('error', onRefused).once('connect', () => {
    node.off('error', onRefused).on('error', () => client.destroy());
    node.on('close', () => client.destroy());
    client.on('close', () => node.destroy());
    client.pipe(node).pipe(client);
  });
}

/** Says which node writes, and each time that it is another one, until it is told to stop. */
async function tellWriter() {
  for (let known; !stopped.aborted; await delay(1000, undefined, { signal: stopped }).catch(() => {})) {
    const writing = await Promise.all(
      NUMBERS.map(async (number) => {
        const signal = AbortSignal.timeout(1000);
        const answer = await fetch(`http://127.0.0.1:${nodePort(number)}/health`, { signal }).catch(() => undefined);
        const health = await answer?.json().catch(() => undefined);
        return health?.cluster?.role === 'writer' ? `node-${number} writes.` : undefined;
      }),
    );
    const said = writing.find(Boolean) ?? 'No node writes at the moment.';
    if (said !== known && !stopped.aborted) console.log(said);
    known = said;
  }
}

async function run() {
  mkdirSync(folder, { recursive: true });
  const config = values.config ? parse(readFileSync(values.config, 'utf8')) : await demonstration();
  await Promise.all(NUMBERS.map(startNats));
  await Promise.all(NUMBERS.map((number) => startNode(number, config)));
  await once(
    createServer((client) => handOn(client.on('error', () => client.destroy()))).listen(frontPort),
    'listening',
  );
  const streams = Object.keys(config.streams).map((name) => config.publicUrl + name);
  console.log(`
Three nodes publish ${streams.join(', ')}. One of them writes, and each says which:

${NUMBERS.map((number) => `  curl http://localhost:${nodePort(number)}/health`).join('\n')}

http://localhost:${frontPort}/ leads to one that runs. Follow a stream, and kill what you like:

  npx ldes-live follow ${streams[0]} --mal 2
${children.map(({ name, child: { pid } }) => `  kill -9 ${pid}  # ${name}`).join('\n')}

Data and logs of each are in ${folder}.
Ctrl-C ends all that this has started${values.data ? '' : ', and removes that folder'}.
`);
  await tellWriter();
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => stopping.abort());
// npm that is told to stop ends its shell and not what the shell runs.
const parent = process.ppid;
setInterval(() => process.ppid !== parent && stopping.abort(), 1000).unref();
await run().catch((error) => {
  const isMissing = error.path === 'nats-server' && error.code === 'ENOENT';
  console.error(isMissing ? 'nats-server is not installed: apt-get install nats-server.' : error.message);
  process.exitCode = stopped.aborted ? 0 : 1;
});
stopping.abort();
// The nodes first, so that the one that writes can say that it ends.
for (const kind of ['node', 'nats']) {
  const running = children.filter(({ name, child }) => name.startsWith(kind) && isRunning(child));
  for (const { child } of running) child.kill();
  await Promise.all(running.map(({ child }) => isRunning(child) && once(child, 'exit')));
}
if (!values.data && !process.exitCode) rmSync(folder, { recursive: true, force: true });
process.exit();
