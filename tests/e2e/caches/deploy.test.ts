import { execFile } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { nginxConfiguration, programPath, VARNISH_CONFIGURATION, varnishParameters } from '@ldes-live/bench/fronts';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { skipMissing, WAYS } from './ways.ts';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));
const run = promisify(execFile);

interface Service {
  readonly build: { readonly context: string; readonly dockerfile: string; readonly target: string };
  readonly volumes?: readonly string[];
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly command?: readonly string[];
  readonly depends_on?: Readonly<Record<string, unknown>>;
}
interface Compose {
  readonly services: Readonly<Record<'publisher' | 'varnish', Service>>;
  readonly configs: Readonly<Record<string, { readonly content: string }>>;
  readonly volumes: Readonly<Record<string, unknown>>;
}

const read = (path: string) => readFileSync(join(ROOT, path), 'utf8');

describe('programs', () => {
  skipMissing(...WAYS);

  test('CACHE-12 nginx accepts its configuration', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'ldes-live-nginx-'));
    await chmod(folder, 0o755);
    await writeFile(`${folder}/nginx.conf`, await nginxConfiguration(folder, 8080, new URL('http://127.0.0.1:3000/')));
    const { stderr } = await run(programPath('nginx'), [
      '-t',
      '-p',
      folder,
      '-e',
      'stderr',
      '-c',
      `${folder}/nginx.conf`,
    ]);
    expect(stderr).toContain('test is successful');
    expect(stderr).not.toContain('[warn]');
    await rm(folder, { recursive: true });
  });

  test('CACHE-12 Varnish accepts its configuration', async () => {
    const compiled = await run(programPath('varnishd'), ['-C', '-f', VARNISH_CONFIGURATION], { maxBuffer: 2 ** 24 });
    // It prints the program that it made of it.
    expect(compiled.stdout + compiled.stderr).toContain('VGC_function_vcl_deliver');
  });
});

test('CACHE-12 everything that docker-compose.yml names is there', () => {
  const { services, configs, volumes } = parse(read('docker-compose.yml')) as Compose;
  for (const { build, volumes: mounted = [], configs: used = [] } of Object.values(services)) {
    expect(read(build.dockerfile)).toMatch(new RegExp(`^FROM \\S+ AS ${build.target}$`, 'm'));
    for (const [source = ''] of mounted.map((mount) => mount.split(':'))) {
      expect(source.startsWith('./') ? existsSync(join(ROOT, source)) : source in volumes, source).toBe(true);
    }
    for (const { source } of used) expect(parse(configs[source]?.content ?? '')).toHaveProperty('streams');
  }
  expect(Object.keys(services.varnish.depends_on ?? {})).toEqual(['publisher']);
  expect(services.publisher.command?.[1]).toBe(services.publisher.configs?.[0]?.target);
});

test('CACHE-12 the images run what is there, as another user than root', () => {
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
