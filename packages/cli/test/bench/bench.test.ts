import { expect, test } from 'vitest';
import { bench } from '../../src/bench/bench.ts';
import { Recorder } from '../fake-process.ts';

function edge() {
  return {
    env: {},
    stdout: new Recorder(),
    stderr: new Recorder(),
    interrupted: new AbortController().signal,
    clock: () => 0,
    random: () => 0,
  };
}

const missing = (name: string) =>
  Object.assign(new Error(`Cannot find package '${name}' imported from /somewhere/bench.js`), {
    code: 'ERR_MODULE_NOT_FOUND',
  });

test('arguments go to the package of the benchmarks as they are, and its exit code comes back', async () => {
  const asked: unknown[] = [];
  const here = edge();
  const load = async (name: string) => ({
    bench: async (...given: unknown[]) => {
      asked.push(name, ...given);
      return 7;
    },
  });
  expect(await bench({ kind: 'bench', args: ['e1', '--quick', '--prot'] }, here, load)).toBe(7);
  const { stdout, stderr, interrupted } = here;
  expect(asked).toEqual(['@ldes-live/bench', ['e1', '--quick', '--prot'], { stdout, stderr, interrupted }]);
});

test('where the package is not installed, the error names how to install it', async () => {
  const load = async (name: string) => {
    throw missing(name);
  };
  await expect(bench({ kind: 'bench', args: ['all'] }, edge(), load)).rejects.toMatchObject({
    code: 'ERR_BENCH_MISSING',
    message: expect.stringContaining('npm install @ldes-live/bench'),
  });
});

test('what is missing of the package itself is no advice to install it', async () => {
  const error = missing('ws');
  const load = async () => {
    throw error;
  };
  await expect(bench({ kind: 'bench', args: ['all'] }, edge(), load)).rejects.toBe(error);
});
