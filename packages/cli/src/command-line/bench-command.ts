/** What `bench` was asked for. */
export interface BenchCommand {
  readonly kind: 'bench';
  /** As they were given: the package of the benchmarks knows what they mean. */
  readonly args: readonly string[];
}

const HELP = ['--help', '-h'];

/**
 * Reads the arguments of `ldes-live bench`.
 *
 * @returns `help` where that was asked for
 */
export function parseBench(args: string[]): BenchCommand | 'help' {
  return args.some((arg) => HELP.includes(arg)) ? 'help' : { kind: 'bench', args };
}
