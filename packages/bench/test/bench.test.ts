import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { bench } from '../src/bench.ts';

async function told(args: readonly string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const code = await bench(args, { stdout, stderr });
  return { code, stdout: stdout.read()?.toString(), stderr: stderr.read()?.toString() };
}

test.each([
  [[]],
  [['nothing']],
  [['documents', 'twice']],
  [['documents', '--fast']],
  [['documents', '--only', 'gzip']],
  [['fanout', '--only', 'nothing']],
])('arguments that make no experiment are answered by how to use it: %j', async (args) => {
  const { code, stdout, stderr } = await told(args);
  expect(code).toBe(2);
  expect(stdout).toBeUndefined();
  expect(stderr).toContain('npm run bench -- documents [--quick] [--out DIR]');
  expect(stderr).toContain('npm run bench -- fanout [--only NAME]');
});
