// Lets a process or a thread of its own run the sources: Node 20 has no TypeScript. `--import` this.
import { readFile } from 'node:fs/promises';
import { register } from 'node:module';
import { fileURLToPath } from 'node:url';
import { transform } from 'esbuild';

// Node loads it once more where hooks run.
const HOOKS = '?hooks';
if (!import.meta.url.endsWith(HOOKS)) register(import.meta.url + HOOKS);

const OPTIONS = { loader: 'ts', tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } } };

export async function load(url, context, next) {
  if (!url.endsWith('.ts')) return next(url, context);
  const { code } = await transform(await readFile(fileURLToPath(url), 'utf8'), OPTIONS);
  return { format: 'module', shortCircuit: true, source: code };
}
