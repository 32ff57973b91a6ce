/*
 * Caches before a publisher, as real programs in folders of their own: nginx and Varnish as they are deployed, and nginx as the
 * article on polling and push had it.
 *
 *   const front = await startFront('Varnish', new URL('http://127.0.0.1:40123/'), { core: 0, processes: 2 })
 *   { "url": "http://127.0.0.1:40125/", "ports": [40125, 40127] }
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { cpuMicrosOf, processTree, residentBytesOf } from '../machine.ts';
import { allOrNone, endWithThis, freePort, isInstalled, onCore, programPath } from '../processes.ts';

/** A cache in front of a publisher. */
export type Front = Awaited<ReturnType<typeof startFront>>;

export interface FrontOptions {
  /** @defaultValue a free one */
  readonly port?: number;
  /** The core that it keeps to; absent: any. */
  readonly core?: number;
  /** Processes that share its clients: one may have some 18,000 connections. Absent: as it is deployed. */
  readonly processes?: number;
}

/** The program that each kind takes. */
export const FRONT_PROGRAMS = { nginx: 'nginx', 'article-nginx': 'nginx', Varnish: 'varnishd' } as const;

/**
 * Starts a cache before a publisher.
 *
 * Varnish is one process however many its clients, so several processes are several caches, each with a port of its own.
 */
export async function startFront(
  kind: keyof typeof FRONT_PROGRAMS,
  publisher: URL,
  { port, core, processes }: FrontOptions = {},
) {
  const start = (own: number) => {
    if (kind === 'Varnish') return startListening('varnishd', own, core, (folder) => varnish(folder, own, publisher));
    const configure = kind === 'nginx' ? nginxConfiguration : articleConfiguration;
    return startNginx(own, core, (folder) => configure(folder, own, publisher, processes));
  };
  const count = kind === 'Varnish' ? (processes ?? 1) : 1;
  const ports = await Promise.all(Array.from({ length: count }, (_, index) => (index === 0 && port) || freePort()));
  const programs = await allOrNone(ports.map(start));
  const pids = () => programs.flatMap(({ pid }) => processTree(pid));
  return {
    /** Where it is reached, ending in `/`. */
    url: `http://127.0.0.1:${ports[0]}/`,
    /** Ports that its clients take in turns: one, unless it consists of several that are a process each. */
    ports,
    /** CPU time of all its processes and their threads, microseconds. */
    cpuMicros: () => cpuMicrosOf(pids()),
    /** Resident memory of all its processes; `undefined` where the system does not tell. */
    residentBytes: () => residentBytesOf(pids()),
    close: async () => void (await Promise.all(programs.map((program) => program.close()))),
  };
}

/** Writes what Varnish needs into its folder; its arguments. */
async function varnish(folder: string, port: number, publisher: URL): Promise<readonly string[]> {
  const configuration = withSettings(await readFile(VARNISH_CONFIGURATION, 'utf8'), {
    '.host = "127.0.0.1"': `.host = "${publisher.hostname}"`,
    '.port = "3000"': `.port = "${publisher.port}"`,
  });
  await writeFile(`${folder}/varnish.vcl`, configuration);
  const parameters = varnishParameters(configuration).flatMap((parameter) => ['-p', parameter]);
  const listen = ['-a', `127.0.0.1:${port}`, '-T', 'none', '-S', 'none'];
  // Without a jail it runs as whoever starts it, so that it may use the folder.
  const place = ['-j', 'none', '-n', `${folder}/work`, '-s', 'malloc,64m'];
  return ['-F', '-f', `${folder}/varnish.vcl`, ...listen, ...place, ...parameters];
}

/** Starts nginx in a folder of its own, with a configuration for that. */
export function startNginx(
  port: number,
  core: number | undefined,
  configure: (folder: string) => string | Promise<string>,
) {
  return startListening('nginx', port, core, async (folder) => {
    await writeFile(`${folder}/nginx.conf`, await configure(folder));
    return ['-p', folder, '-e', 'stderr', '-c', `${folder}/nginx.conf`, '-g', 'daemon off;'];
  });
}

const NGINX_CONFIGURATION = fileURLToPath(new URL('../../../../deploy/nginx.conf', import.meta.url));
/** The configuration that is deployed. */
export const VARNISH_CONFIGURATION = fileURLToPath(new URL('../../../../deploy/varnish.vcl', import.meta.url));

/**
 * `deploy/nginx.conf` with other addresses and folders; all else is as it is deployed.
 *
 * @param processes - workers, among which the kernel shares connections evenly; absent: as deployed
 */
export async function nginxConfiguration(
  folder: string,
  port: number,
  publisher: URL,
  processes?: number,
): Promise<string> {
  await mkdir(`${folder}/ldes-live`, { recursive: true });
  return withSettings(await readFile(NGINX_CONFIGURATION, 'utf8'), {
    'listen 80 ': `listen 127.0.0.1:${port} ${(processes ?? 1) > 1 ? 'reuseport ' : ''}`,
    '127.0.0.1:3000': publisher.host,
    '/var/cache/nginx/': `${folder}/`,
    '/run/nginx.pid': `${folder}/nginx.pid`,
    '/var/log/nginx/error.log': 'stderr',
    ...(processes !== undefined && {
      'worker_processes auto;': `worker_processes ${processes};`,
      // As many as one process may have here.
      'worker_connections 32768;': 'worker_connections 19900;',
    }),
  });
}

/**
 * nginx as the article had it: one worker, a lock on what is fetched, kept-alive connections to the publisher, gzip, and
 * `Cache-Control` taken out of what it answers, since it does not count `max-age` down. It may have more connections than the
 * 10,000 of the article, as many as one process may have here; and its clients may ask as often as they like on one, since
 * closing them after 1,000 requests came with a later nginx.
 *
 * @see https://brechtvdv.github.io/Article-Live-Open-Data-Interfaces/
 */
function articleConfiguration(folder: string, port: number, publisher: URL, workers = 1): string {
  return `worker_processes ${workers};
worker_rlimit_nofile 20000;
pid ${folder}/nginx.pid;
error_log stderr error;
events { worker_connections 19900; }
http {
  access_log off;
  client_body_temp_path ${folder}/body;
  proxy_temp_path ${folder}/proxy;
  fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi;
  scgi_temp_path ${folder}/scgi;
  keepalive_requests 1000000;
  gzip on;
  gzip_types application/json application/ld+json;
  proxy_cache_path ${folder}/cache keys_zone=article:10m;
  upstream publisher { server ${publisher.host}; keepalive 16; }
  server {
    listen 127.0.0.1:${port} backlog=4096${workers > 1 ? ' reuseport' : ''};
    location / {
      proxy_pass http://publisher;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_cache article;
      proxy_cache_lock on;
      proxy_hide_header Cache-Control;
    }
  }
}
`;
}

/** The parameters that a configuration says it has to be started with, such as `http_gzip_support=off`. */
export function varnishParameters(configuration: string): readonly string[] {
  const lines = configuration.split('\n').filter((line) => /^# +-p /.test(line));
  return lines.flatMap((line) => [...line.matchAll(/-p (\w+=\w+)/g)].map(([, parameter]) => parameter as string));
}

/** Replaces what a deployment sets in a configuration; what is not there is a measurement that has gone stale. */
function withSettings(text: string, settings: Readonly<Record<string, string>>): string {
  const missing = Object.keys(settings).find((setting) => !text.includes(setting));
  if (missing !== undefined) throw new Error(`the configuration does not have: ${missing}`);
  return Object.entries(settings).reduce((changed, [from, to]) => changed.replaceAll(from, to), text);
}

/**
 * Starts a program that listens on a port of loopback, in a folder of its own, and waits until it does.
 *
 * @param core - that it keeps to, `undefined` for any
 * @param prepare - writes what it needs into the folder; its arguments
 */
async function startListening(
  program: string,
  port: number,
  core: number | undefined,
  prepare: (folder: string) => Promise<readonly string[]>,
) {
  if (!isInstalled(program)) throw new Error(`${program} is not installed`);
  const folder = await mkdtemp(join(tmpdir(), `ldes-live-${program}-`));
  // Started by root, a daemon works as another user, who has to get in.
  await chmod(folder, 0o755);
  const [file, ...args] = onCore(core, [programPath(program), ...(await prepare(folder))]);
  const child = spawn(file as string, args, { stdio: ['ignore', 'ignore', 'pipe'] });
  endWithThis(child);
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const close = async () => {
    if (child.exitCode === null && child.signalCode === null) {
      child.kill('SIGTERM');
      await once(child, 'close');
    }
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  if (await isListening(port, child)) return { pid: child.pid ?? 0, close };
  await close();
  throw new Error(`${program} does not listen on port ${port}: ${errors}`);
}

async function isListening(port: number, child: ChildProcess): Promise<boolean> {
  for (let attempt = 0; attempt < 600 && child.exitCode === null && child.signalCode === null; attempt += 1) {
    const socket = connect(port, '127.0.0.1');
    try {
      await once(socket, 'connect');
      return true;
    } catch {
      await sleep(50);
    } finally {
      socket.destroy();
    }
  }
  return false;
}
