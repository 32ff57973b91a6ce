import { parseArgs } from 'node:util';
import { HELP, parsed, usage } from './option-values.ts';

/** What `token` was asked for. */
export interface TokenCommand {
  readonly kind: 'token';
}

/**
 * Reads the arguments of `ldes-live token`.
 *
 * @returns `help` where that was asked for
 * @throws {@link StreamError} `ERR_USAGE` - they make no command
 */
export function parseToken(args: string[]): TokenCommand | 'help' {
  const command = 'ldes-live token';
  const { values, positionals } = parsed(command, () =>
    parseArgs({ args, allowPositionals: true, options: { ...HELP } }),
  );
  if (values.help) return 'help';
  if (positionals.length > 0) throw usage(command, 'It takes no arguments: every token is a new one.');
  return { kind: 'token' };
}
