/* What caches make of documents: bytes, fields, variants, errors, all members. And whether deploy/ is whole. */
import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nginxConfiguration, programPath, VARNISH_CONFIGURATION, varnishParameters } from '@ldes-live/bench/programs';
import { createLiveClient } from '@ldes-live/client';
import { formats } from '@ldes-live/rdf-stream';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { ask, type CachedStream, type CachedWorld, cachedWorld, STRAIGHT, WAYS } from './caches/world.ts';
import { need } from './support/programs.ts';

const HOUR_MS = 3_600_000;
const FORMATS = Object.values(formats).map(({ mediaType }) => mediaType);
const ENCODINGS = ['identity', 'gzip', 'br'];

const BROWSERS = [
  'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8',
  'text/html,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8,application/signed-exchange;v=b3;q=0.7',
];

// What a cache does not change.
const KEPT = 'content-type content-encoding etag last-modified vary link ldes-cursor next-update'.split(' ');
const CORS = ['access-control-allow-origin', 'access-control-expose-headers'];

let world: CachedWorld;
beforeAll(async () => {
  world = await cachedWorld(40);
});
afterAll(() => world?.close());

/** A stream whose documents do not change for an hour. */
async function still(updates?: number): Promise<CachedStream> {
  const stream = await world.stream(updates);
  await stream.update(HOUR_MS);
  return stream;
}

describe.concurrent.each(WAYS)('$name', (way) => {
  need(way.program);

  test('CACHE-4 every document is what it is straight, and comes from the cache the second time', async () => {
    const stream = await still(130);
    const { epoch } = stream.head();
    const sealed = `/pages/${epoch}/0`;
    const pages = ['1', 'range-0', 'after-200', 'after-262'].map((name) => `/pages/${epoch}/${name}`);
    for (const path of ['', '/latest', sealed, ...pages, '/entities/1']) {
      const straight = await ask(stream.on(STRAIGHT, path));
      const first = await ask(stream.on(way, path));
      const before = stream.arrived(path);
      const second = await ask(stream.on(way, path));
      for (const answer of [first, second]) {
        expect(answer.status, path).toBe(200);
        expect(answer.body.equals(straight.body), path).toBe(true);
        for (const field of [...KEPT, ...CORS])
          expect(answer.headers[field], `${path} ${field}`).toBe(straight.headers[field]);
        expect(Math.abs(Date.parse(answer.headers.date as string) - Date.now())).toBeLessThan(60_000);
      }
      expect(stream.arrived(path) - before, path).toBe(way.program ? 0 : 1);
    }
    const page = await ask(stream.on(way, sealed));
    expect(page.headers['cache-control']).toBe('public, max-age=31536000, immutable');
  });

  test('CACHE-5 each of five formats and three encodings is its own, whichever was asked for before', async () => {
    const stream = await still();
    const variants = FORMATS.flatMap((accept) =>
      ENCODINGS.map((encoding) => ({ accept, 'accept-encoding': encoding })),
    );
    for (const headers of [...variants, ...variants.toReversed()]) {
      const straight = await ask(stream.on(STRAIGHT, '/latest'), { headers });
      const answer = await ask(stream.on(way, '/latest'), { headers });
      expect(answer.headers['content-type']?.split(';')[0]).toBe(headers.accept);
      for (const field of KEPT) expect(answer.headers[field]).toBe(straight.headers[field]);
      expect(answer.headers['content-encoding'] ?? 'identity').toBe(headers['accept-encoding']);
      expect(answer.body.equals(straight.body)).toBe(true);
    }
  });

  test('CACHE-5 whatever a client says that it accepts, it gets what it gets straight', async () => {
    const stream = await still();
    for (const [accept, encoding] of [
      ['text/turtle;q=0.1, application/n-quads;q=0.9', 'gzip;q=0, br;q=0.5'],
      ['application/n-triples, */*;q=0.1', 'br;q=0, gzip'],
      ['text/html,application/xhtml+xml,*/*;q=0.8', 'gzip, deflate, br, zstd'],
      ['TEXT/Turtle', 'deflate, GZIP'],
      ['text/turtle; charset=utf-8', '*;q=0'],
      ['', ''],
    ] as const) {
      const headers = { accept, 'accept-encoding': encoding };
      const straight = await ask(stream.on(STRAIGHT, '/latest'), { headers });
      for (let round = 0; round < 2; round += 1) {
        const answer = await ask(stream.on(way, '/latest'), { headers });
        for (const field of KEPT)
          expect(answer.headers[field], `${accept} ${encoding} ${field}`).toBe(straight.headers[field]);
        expect(answer.body.equals(straight.body), `${accept} ${encoding}`).toBe(true);
      }
    }
  });

  test('CACHE-5 clients that mean the same variant in other words share it, but for nginx', async () => {
    const stream = await still();
    const askAs = (accept: string, encoding: string) =>
      ask(stream.on(way, '/latest'), { headers: { accept, 'accept-encoding': encoding } });
    await askAs('text/turtle', 'br');
    const before = stream.arrived('/latest');
    await askAs('Text/Turtle', 'gzip, deflate, br, zstd');
    await askAs(' text/turtle ', 'deflate,br');
    expect(stream.arrived('/latest') - before).toBe(way.name === 'Varnish' ? 0 : 2);
    await askAs('Text/Turtle', 'gzip, deflate, br, zstd');
    expect(stream.arrived('/latest') - before).toBe({ straight: 3, nginx: 2, Varnish: 0 }[way.name]);
    for (const accept of BROWSERS) await askAs(accept, 'br');
    expect(stream.arrived('/latest') - before).toBe({ straight: 5, nginx: 4, Varnish: 1 }[way.name]);
  });

  test('WEB-3 CACHE-8 a page and the documents at its URL are kept apart, and the page is not kept', async () => {
    const stream = await still();
    const types = ['text/turtle', ...BROWSERS, '*/*', ...BROWSERS, 'text/turtle'].map(async (accept) => {
      const { headers } = await ask(stream.on(way), { headers: { accept } });
      return headers['content-type']?.split(';', 1)[0];
    });
    const html = BROWSERS.map(() => 'text/html');
    expect(await Promise.all(types)).toEqual(['text/turtle', ...html, 'application/ld+json', ...html, 'text/turtle']);
    const before = stream.arrived('');
    for (let round = 0; round < 2; round += 1)
      await ask(stream.on(way), { headers: { accept: BROWSERS[0] as string } });
    expect(stream.arrived('') - before).toBe(2);
  });

  test('CACHE-6 the tag of a variant is answered by 304 for this variant only, with its fields, at the cache', async () => {
    const stream = await still();
    const latest = (headers: Readonly<Record<string, string>> = {}) => ask(stream.on(way, '/latest'), { headers });
    const variant = { accept: 'application/trig', 'accept-encoding': 'gzip' };
    const whole = await latest(variant);
    const etag = whole.headers.etag as string;
    const plain = await latest();
    const before = stream.arrived('/latest');
    for (const tags of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const { status, headers, body } = await latest({ ...variant, 'if-none-match': tags });
      expect([status, body.length], tags).toEqual([304, 0]);
      for (const field of ['etag', 'vary', 'next-update', 'expires', 'ldes-cursor']) {
        expect(headers[field], field).toBe(whole.headers[field]);
      }
    }
    expect((await latest({ ...variant, 'if-none-match': '"other"' })).status).toBe(200);
    expect(stream.arrived('/latest') - before).toBe(way.program ? 0 : 5);
    expect(plain.headers.etag).not.toBe(etag);
    expect((await latest({ 'if-none-match': etag })).status).toBe(200);
  });

  test('CACHE-4 HEAD has the fields of GET and no content; a range is of the same bytes or refused as a whole', async () => {
    const stream = await still();
    const whole = await ask(stream.on(way, '/latest'));
    const head = await ask(stream.on(way, '/latest'), { method: 'HEAD' });
    expect([head.status, head.body.length]).toEqual([200, 0]);
    for (const field of [...KEPT, 'content-length']) expect(head.headers[field], field).toBe(whole.headers[field]);
    const part = await ask(stream.on(way, '/latest'), { headers: { range: 'bytes=10-19' } });
    const expected = part.status === 206 ? whole.body.subarray(10, 20) : whole.body;
    expect(part.body.equals(expected)).toBe(true);
    expect([200, 206]).toContain(part.status);
  });

  test('CACHE-8 errors are never kept', async () => {
    const stream = await still();
    await Promise.all(
      (
        [
          ['/pages/none/0', 410],
          ['/pages/none/after-0', 410],
          ['/no-such', 404],
          ['/latest', 406, { accept: 'image/png' }],
          ['/pages?after=nonsense', 400],
        ] as const
      ).map(async ([path, status, headers = {}]) => {
        for (let round = 0; round < 3; round += 1) {
          const answer = await ask(stream.on(way, path), { headers });
          expect(answer.status, path).toBe(status);
          expect(answer.headers['cache-control'], path).toBe('no-store');
          expect(answer.headers['content-type'], path).toBe('application/problem+json');
          // Equal requests within a tenth of a second may share one.
          await delay(150);
        }
        expect(stream.arrived(path), path).toBe(3);
      }),
    );
  });

  test('CACHE-8 redirects, health and other methods are the publisher’s each time', async () => {
    const stream = await still();
    const { epoch } = stream.head();
    const after = `/pages?after=${epoch}-3`;
    for (let round = 0; round < 3; round += 1) {
      const answer = await ask(stream.on(way, after));
      expect(answer.status).toBe(307);
      expect(answer.headers.location).toBe(`${stream.url}/pages/${epoch}/0`);
    }
    expect(stream.arrived(after)).toBe(3);
    for (const method of ['POST', 'OPTIONS', 'DELETE']) {
      const straight = await ask(stream.on(STRAIGHT, '/latest'), { method, body: method === 'POST' ? 'x' : '' });
      const answer = await ask(stream.on(way, '/latest'), { method, body: method === 'POST' ? 'x' : '' });
      expect(answer.status, method).toBe(straight.status);
      expect(answer.headers.allow, method).toBe(straight.headers.allow);
    }
    const { headers, status } = await ask(`${world.base(way)}health`);
    expect([status, headers['cache-control']]).toEqual([200, 'no-store']);
  });

  test.for([
    ['pull', 30],
    ['push', 1],
  ] as const)('a client that follows by %s has every member once and in order', async ([mode, mal]) => {
    const stream = await world.stream(130);
    const stop = new AbortController();
    // Whatever leads to the publisher takes this way.
    const client = createLiveClient({
      mal,
      fetch: (url, init) => fetch(String(url).replace(world.publicUrl, world.base(way)), init),
    });
    const follower = client.follow(stream.url, { from: 'start', signal: stop.signal });
    const sequences: number[] = [];
    const reading = (async () => {
      for await (const change of follower) if (change.kind !== 'gap') sequences.push(change.member.sequence);
    })().catch((error) => {
      if (!stop.signal.aborted) throw error;
    });
    const reaches = () => eventually(() => expect(sequences.at(-1)).toBe(stream.head().sequence), { forMs: 45_000 });
    await reaches();
    expect(follower.status.mode).toBe(mode);
    for (let update = 0; update < (mode === 'push' ? 3 : 0); update += 1) {
      await stream.update();
      await reaches();
    }
    expect(sequences).toEqual(sequences.map((_, index) => index + 1));
    stop.abort();
    await reading;
  });
});

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');
const run = promisify(execFile);

interface Service {
  readonly profiles?: readonly string[];
  readonly image?: string;
  readonly build?: { readonly context: string; readonly dockerfile: string; readonly target: string };
  readonly volumes?: readonly string[];
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly command?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
}
interface Compose {
  readonly services: Readonly<Record<string, Service>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

describe('programs', () => {
  need('nginx', 'varnishd');

  test('nginx accepts its configuration', async () => {
    const folder = await temporaryFolder();
    await chmod(folder, 0o755);
    await writeFile(`${folder}/nginx.conf`, await nginxConfiguration(folder, 8080, new URL('http://127.0.0.1:3000/')));
    const args = ['-t', '-p', folder, '-e', 'stderr', '-c', `${folder}/nginx.conf`];
    const { stderr } = await run(programPath('nginx'), args);
    expect(stderr).toContain('test is successful');
    expect(stderr).not.toContain('[warn]');
  });

  test.for(['varnish.vcl', 'varnish-cluster.vcl'])('Varnish accepts %s', async (name) => {
    // Names of containers are no names here.
    const text = read(`deploy/${name}`).replaceAll(/"node-\d"/g, '"127.0.0.1"');
    const file = join(await temporaryFolder({ [name]: text }), name);
    const args = ['-C', '-j', 'none', '-p', `vcl_path=${join(VARNISH_CONFIGURATION, '..')}`, '-f', file];
    const compiled = await run(programPath('varnishd'), args, { maxBuffer: 2 ** 24 });
    // It prints the program that it made of it.
    expect(compiled.stdout + compiled.stderr).toContain('VGC_function_vcl_deliver');
  });
});

test('everything that docker-compose.yml names is there', () => {
  const { services, configs, volumes } = parse(read('docker-compose.yml'), { merge: true }) as Compose;
  for (const { build, image, volumes: mounted = [], configs: used = [], depends_on = [] } of Object.values(services)) {
    if (build) expect(read(build.dockerfile)).toMatch(new RegExp(`^FROM \\S+ AS ${build.target}$`, 'm'));
    else expect(image).toMatch(/:v?\d+\.\d+/);
    for (const other of Array.isArray(depends_on) ? depends_on : Object.keys(depends_on))
      expect(services).toHaveProperty(other);
    for (const [source = ''] of mounted.map((mount) => mount.split(':'))) {
      expect(source.startsWith('./') ? existsSync(join(ROOT, source)) : source in volumes, source).toBe(true);
    }
    for (const { source } of used) expect(parse(configs[source]?.content ?? '')).toHaveProperty('streams');
  }
  // Without a profile there are these two, of which one needs the other.
  const usual = Object.keys(services).filter((name) => !services[name]?.profiles);
  expect(usual).toEqual(['publisher', 'varnish']);
  expect(Object.keys(services.varnish?.depends_on ?? {})).toEqual(['publisher']);
  for (const { command, configs: [used] = [] } of Object.values(services))
    if (used) expect(command?.[1]).toBe(used.target);
});

test('the images run what is there, as another user than root', () => {
  const images = read('deploy/Dockerfile')
    .split(/^FROM /m)
    .slice(2);
  for (const image of images) expect(image).toMatch(/^USER (?!root)\w+$/m);
  const [publisher = '', varnish = ''] = images;
  const program = /ENTRYPOINT \["node", "(.*)"\]/.exec(publisher)?.[1] as string;
  expect(existsSync(join(ROOT, program))).toBe(true);
  const configuration = readFileSync(VARNISH_CONFIGURATION, 'utf8');
  const parameters = varnishParameters(configuration);
  expect(parameters).toContain('http_gzip_support=off');
  for (const start of [varnish, read('deploy/README.md')]) expect(start.match(/(?<=-p )\w+=\w+/g)).toEqual(parameters);
  // What the start replaces stands in the configuration once.
  for (const setting of ['127.0.0.1', '3000']) expect(configuration.split(setting)).toHaveLength(2);
});

test('the publisher runs as another user than root, and writes its log alone, in containers and as a service', () => {
  const { services } = parse(read('docker-compose.yml'), { merge: true }) as Compose;
  const publishers = Object.values(services).filter(({ build }) => build?.target === 'publisher');
  expect(publishers).toHaveLength(4);
  const bounded = { user: 'node', read_only: true, cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] };
  for (const service of publishers) expect(service).toMatchObject(bounded);
  const unit = read('deploy/ldes-live.service');
  const settings = ['DynamicUser=yes', 'StateDirectory=ldes-live', 'ProtectSystem=strict', 'NoNewPrivileges=yes'];
  for (const setting of [...settings, 'CapabilityBoundingSet=']) expect(unit.split('\n')).toContain(setting);
  const [, program, config] = /^ExecStart=\/usr\/bin\/node (\S+) serve (\S+)/m.exec(unit) ?? [];
  expect([existsSync(join(ROOT, program ?? '?')), config]).toEqual([true, '/etc/ldes-live/config.yml']);
});

test('the image of the publisher has what reads NATS servers, as it is locked', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    readonly packages: Readonly<Record<string, { readonly [kind: string]: Readonly<Record<string, string>> }>>;
  };
  const needed = new Set(Object.keys(JSON.parse(read('packages/log/package.json')).peerDependencies));
  for (const name of needed) {
    for (const other of Object.keys(packages[`node_modules/${name}`]?.dependencies ?? {})) needed.add(other);
  }
  const copied = /cp -r --parents (.*) \/nats$/m.exec(read('deploy/Dockerfile'))?.[1]?.split(' ');
  const folders = [...needed].map((name) => `node_modules/${name.replace(/^(@nats-io)\/.*/, '$1')}`);
  expect(new Set(copied)).toEqual(new Set(folders));
});

test('PUSH-40 the dashboard asks for metrics that there are', () => {
  const { panels } = JSON.parse(read('deploy/grafana/cluster.json')) as {
    readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
  };
  const known = new Set([...read('specs/metrics.md').matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name));
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)).join('\n');
  const asked = [...expressions.matchAll(/\b((?:ldes_live|process|nodejs)_\w+?)(?:_bucket)?\b/g)].map(
    ([, name]) => name,
  );
  expect(asked.length).toBeGreaterThan(panels.length / 2);
  expect(asked.filter((name) => !known.has(name))).toEqual([]);
});
