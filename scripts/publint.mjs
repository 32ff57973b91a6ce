// `npm run publint`: what would be published of each package, held against what its manifest says.
import { readdirSync, readFileSync } from 'node:fs';
import process from 'node:process';
import { ensureBuilt } from './ensure-built.mjs';

await ensureBuilt();
const { publint } = await import('publint');
const { formatMessage } = await import('publint/utils');

for (const name of readdirSync('packages')) {
  const manifest = JSON.parse(readFileSync(`packages/${name}/package.json`, 'utf8'));
  if (manifest.private) continue;
  const { messages } = await publint({ pkgDir: `packages/${name}`, strict: true });
  for (const message of messages) console.error(`${manifest.name}: ${formatMessage(message, manifest)}`);
  if (messages.length > 0) process.exitCode = 1;
}
