// Lets a process of its own run the sources: Node 20 has no TypeScript.
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { isMainThread } from 'node:worker_threads';
import { transform } from 'esbuild';

if (isMainThread) register(import.meta.url);

const OPTIONS = { loader: 'ts', tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } } };

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), OPTIONS);
  return { format: 'module', shortCircuit: true, source: code };
}
