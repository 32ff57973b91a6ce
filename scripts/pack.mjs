// `npm run pack`: packs each package as it would be published, holds it against its manifest, and tries all of them in an empty
// folder: the command, its demonstration, the client, and the types. The tarballs stay in dist/packages for `npm publish`.
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import process from 'node:process';
import { ensureBuilt } from './ensure-built.mjs';

const OUT = resolve('dist/packages');
const PROGRAM = `import { createLiveClient } from '@ldes-live/client';
const follower = createLiveClient({ mal: 10 }).follow('URL');
for await (const change of follower) {
  if (change.kind === 'upsert' && change.member.quads.length > 0) break;
}
`;

await ensureBuilt();
const tarballs = await packAll();
const folder = mkdtempSync(join(tmpdir(), 'ldes-live-pack-'));
try {
  await tryAll(folder, tarballs);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(`${tarballs.length} packages work as packed: ${OUT}`);

async function packAll() {
  const { publint } = await import('publint');
  const { formatMessage } = await import('publint/utils');
  rmSync(OUT, { recursive: true, force: true });
  mkdirSync(OUT, { recursive: true });
  const names = readdirSync('packages').filter((name) => !manifestOf(name).private);
  for (const name of names) {
    const { messages } = await publint({ pkgDir: `packages/${name}`, strict: true });
    // The bundled engine has CommonJS within it, by which publint takes the whole for CommonJS.
    const wrong = messages.filter(({ args }) => args?.actualFilePath !== './dist/comunica/engine.mjs');
    for (const message of wrong) throw new Error(`packages/${name}: ${formatMessage(message, manifestOf(name))}`);
    npm(['pack', '--silent', `./packages/${name}`, '--pack-destination', OUT], '.');
  }
  return readdirSync(OUT).map((file) => join(OUT, file));
}

/** Installs all of them at once, so that each finds the others of its own version. */
async function tryAll(cwd, files) {
  writeFileSync(join(cwd, 'package.json'), '{ "private": true, "type": "module" }');
  npm(['install', '--no-audit', '--no-fund', ...files], cwd);
  const command = join(cwd, 'node_modules/.bin/ldes-live');
  const server = spawn(command, ['serve', '--demo', '--port', '0'], { cwd, stdio: ['ignore', 'pipe', 'inherit'] });
  try {
    const url = await printedUrl(server);
    run(command, ['follow', `${url}vehicles`, '--mal', '1', '--count', '3'], cwd);
    run(command, ['query', `${url}vehicles`, '--mal', '5', '--count', '1', 'ASK { ?s ?p ?o }'], cwd);
    writeFileSync(join(cwd, 'follow.ts'), PROGRAM.replace('URL', `${url}vehicles`));
    const types = [
      '--ignoreConfig',
      '--strict',
      '--module',
      'nodenext',
      '--target',
      'es2022',
      '--types',
      '',
      'follow.ts',
    ];
    run(process.execPath, [resolve('node_modules/typescript/bin/tsc'), ...types], cwd);
    run(process.execPath, ['follow.js'], cwd);
  } finally {
    server.kill();
    await once(server, 'close');
  }
}

async function printedUrl(server) {
  for await (const chunk of server.stdout) {
    const [url] = /http:\/\/localhost:\d+\//.exec(chunk) ?? [];
    if (url) return url;
  }
  throw new Error('The demonstration ended before it listened.');
}

function manifestOf(name) {
  return JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'));
}

function npm(args, cwd) {
  run('npm', args, cwd);
}

function run(file, args, cwd) {
  console.log(`> ${file === process.execPath ? 'node' : file.replace(/.*\//, '')} ${args.join(' ').slice(0, 100)}`);
  execFileSync(file, args, { cwd, stdio: ['ignore', 'inherit', 'inherit'], timeout: 300_000 });
}
