import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@ldes-live/test-support/eventually';
import { temporaryFolder } from '@ldes-live/test-support/folders';
import { reservedPort } from '@ldes-live/test-support/net';
import { expect, onTestFinished, test } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const TYPE_SCRIPT = ['typescript', '@typescript'];

test('npm start builds without TypeScript, once, and serves the demonstration, which answers SPARQL', async () => {
  const folder = await cloneWithoutTypeScript();
  const dist = join(folder, 'packages/latency/dist');
  await mkdir(dist);
  // What TypeScript and an interrupted build left.
  for (const name of ['.tsbuildinfo', 'gone.js', 'index.js.part']) await writeFile(join(dist, name), '');

  const first = await start(folder);
  await eventually(async () => expect((await fetch(`${first.url}/latest`)).status).toBe(200), { forMs: 100_000 });
  const query = new URLSearchParams({ query: 'ASK { ?vehicle ?is ?something }' });
  expect(await (await fetch(`${first.url}/sparql?${query}`)).json()).toMatchObject({ boolean: true });
  first.child.kill('SIGTERM');
  expect(await once(first.child, 'close')).toEqual([0, null]);
  expect(existsSync(join(dist, 'index.js'))).toBe(true);
  expect(existsSync(join(folder, 'packages/web/dist/app/index.html'))).toBe(true);
  expect((await readdir(dist)).filter((name) => !name.endsWith('.js') || name === 'gone.js')).toEqual([]);

  const { mtimeMs } = await stat(join(dist, 'index.js'));
  const second = await start(folder);
  await eventually(async () => expect((await fetch(`${second.url}/latest`)).status).toBe(200), { forMs: 100_000 });
  expect((await stat(join(dist, 'index.js'))).mtimeMs).toBe(mtimeMs);
  second.child.kill('SIGTERM');
  expect(await once(second.child, 'close')).toEqual([0, null]);
}, 240_000);

/** A clone that is installed without what development needs: sources and packages of others are links. */
async function cloneWithoutTypeScript(): Promise<string> {
  const folder = await temporaryFolder();
  const link = (...path: string[]) => symlink(join(ROOT, ...path), join(folder, ...path));
  await cp(join(ROOT, 'scripts'), join(folder, 'scripts'), { recursive: true });
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.json']) await link(file);
  await mkdir(join(folder, 'node_modules/@ldes-live'), { recursive: true });
  for (const name of await readdir(join(ROOT, 'node_modules'))) {
    if (!name.startsWith('.') && name !== '@ldes-live' && !TYPE_SCRIPT.includes(name)) await link('node_modules', name);
  }
  await link('node_modules/.package-lock.json');
  const { references } = JSON.parse(await readFile(join(ROOT, 'tsconfig.json'), 'utf8'));
  for (const { path } of references as { readonly path: string }[]) {
    await mkdir(join(folder, path), { recursive: true });
    const manifest = join(ROOT, path, 'package.json');
    const { files } = JSON.parse(await readFile(manifest, 'utf8')) as { readonly files: readonly string[] };
    // Beside the sources, data that is read where it stands.
    for (const name of files) if (['src', 'data', 'presets'].includes(name)) await link(path, name);
    if (path === 'packages/web') await link(path, 'app');
    // What npm could not put at the root, where another version of it is.
    if (existsSync(join(ROOT, path, 'node_modules'))) await link(path, 'node_modules');
    await cp(manifest, join(folder, path, 'package.json'));
    await symlink(join(folder, path), join(folder, path.replace('packages', 'node_modules/@ldes-live')));
  }
  await cp(join(ROOT, 'packages/cli/bin'), join(folder, 'packages/cli/bin'), { recursive: true });
  return folder;
}

async function start(cwd: string): Promise<{ readonly child: ChildProcess; readonly url: string }> {
  const port = await reservedPort();
  const child = spawn(process.execPath, ['scripts/start.mjs', '--port', String(port)], {
    cwd,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  onTestFinished(() => void child.kill());
  return { child, url: `http://127.0.0.1:${port}/vehicles` };
}
