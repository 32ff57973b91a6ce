import { parseArgs } from 'node:util';
import { DEFAULT_CHECK_LIMITS } from '../check/check-limits.ts';
import type { CheckedHosts } from '../check/http/public-hosts.ts';
import { HELP, integer, isHttpUrl, oneOf, parsed, TEXT, usage } from './option-values.ts';

/** How `check` prints what it finds. */
type CheckFormat = 'text' | 'json';

/** What `check` was asked for. */
export interface CheckCommand {
  readonly kind: 'check';
  /** Of the stream, the root, or an overview. */
  readonly url: string;
  /** The most pages to read. */
  readonly pages: number;
  readonly format: CheckFormat;
  /** Which hosts may be asked; absent: `public` where the URL is one of a public host, else `any`. */
  readonly hosts?: CheckedHosts;
}

const HOSTS: readonly CheckedHosts[] = ['any', 'public'];
const FORMATS: readonly CheckFormat[] = ['text', 'json'];

/**
 * Reads the arguments of `ldes-live check`.
 *
 * @returns `help` where that was asked for
 * @throws {@link StreamError} `ERR_USAGE` - they make no command
 */
export function parseCheck(args: string[]): CheckCommand | 'help' {
  const command = 'ldes-live check';
  const { values, positionals } = parsed(command, () =>
    parseArgs({ args, allowPositionals: true, options: { ...HELP, pages: TEXT, format: TEXT, hosts: TEXT } }),
  );
  if (values.help) return 'help';
  const [url] = positionals;
  if (url === undefined || positionals.length > 1) throw usage(command, 'Give the URL of one stream.');
  if (!isHttpUrl(url)) {
    throw usage(command, `"${url}" is no URL of HTTP: give one such as http://localhost:3000/vehicles.`);
  }
  return {
    kind: 'check',
    url,
    pages: integer(command, '--pages', values.pages ?? String(DEFAULT_CHECK_LIMITS.pages), 1, 100_000),
    format: oneOf(command, values.format ?? 'text', FORMATS),
    ...(values.hosts !== undefined && { hosts: oneOf(command, values.hosts, HOSTS, '--hosts') }),
  };
}
