import type { BenchCommand } from '../command-line/bench-command.ts';
import type { Environment } from '../environment.ts';
import { errors } from '../errors.ts';

/** What this command asks of the package of the benchmarks. */
interface BenchPackage {
  /** Resolves to the exit code. */
  bench(args: readonly string[], edge: Pick<Environment, 'stdout' | 'stderr' | 'interrupted'>): Promise<number>;
}

/** Loads a package by its name. */
type Load = (name: string) => Promise<unknown>;

// That package depends on this one, so that this one cannot depend on it.
const PACKAGE = '@ldes-live/bench';

/**
 * Runs benchmarks, where their package is installed.
 *
 * @param load - loads a package
 * @returns the exit code
 * @throws {@link StreamError} `ERR_BENCH_MISSING` - it is not installed
 */
export async function bench(
  { args }: BenchCommand,
  edge: Environment,
  load: Load = (name) => import(name),
): Promise<number> {
  const { stdout, stderr, interrupted } = edge;
  const found = await loaded(load);
  return found.bench(args, { stdout, stderr, interrupted });
}

async function loaded(load: Load): Promise<BenchPackage> {
  try {
    return (await load(PACKAGE)) as BenchPackage;
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw errors.ERR_BENCH_MISSING({ package: PACKAGE }, error);
  }
}

/** Whether the package itself is not there, rather than something that it needs. */
function isMissing(error: unknown): boolean {
  const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
  return code === 'ERR_MODULE_NOT_FOUND' && String(message).includes(`'${PACKAGE}'`);
}
