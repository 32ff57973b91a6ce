import type { Environment } from '../environment.ts';
import { TextOutput } from '../terminal.ts';
import { type CheckedHosts, type CheckLimits, checkStream } from './check-stream.ts';
import { textReport } from './report.ts';

/** What `check` was asked for. */
export interface CheckOptions {
  /** Of the stream, the root, or an overview. */
  readonly url: string;
  /** The most pages to read. */
  readonly pages: number;
  readonly format: 'text' | 'json';
  /** Which hosts may be asked; absent: `public` where the URL is one of a public host, else `any`. */
  readonly hosts?: CheckedHosts | undefined;
}

/**
 * Checks the endpoint of a stream and prints what is wrong.
 *
 * @param limits - where they differ from the defaults; how many pages is the command's to say
 * @returns the exit code: 0 for nothing or advice only, 3 for warnings, 1 for errors or where there was no stream to check
 * @throws {@link StreamError} `ERR_OUTPUT` - the output cannot be written
 * @see specs/check.md
 */
export async function check(
  { url, pages, format, hosts }: CheckOptions,
  { stdout, stderr, env, clock, interrupted }: Environment,
  limits: Partial<CheckLimits> = {},
): Promise<0 | 1 | 3> {
  const clear = stderr.isTTY === true ? '\r\u001b[K' : '';
  const columns = Math.min(stderr.columns ?? 80, 120);
  const onProgress = (doing: string) => {
    if (clear !== '') stderr.write(`${clear}${doing.slice(0, columns - 1)}`);
  };
  const output = new TextOutput(stdout);
  const report = await checkStream(url, { clock, interrupted, hosts, limits: { ...limits, pages }, onProgress });
  if (clear !== '') stderr.write(clear);
  const layout = {
    columns: Math.min(stdout.columns ?? 80, 100),
    hasColour: stdout.isTTY === true && (env.NO_COLOR ?? '') === '',
  };
  await output.write(format === 'json' ? `${JSON.stringify(report, undefined, 2)}\n` : textReport(report, layout));
  output.close();
  if (report.root === undefined || report.errors > 0) return 1;
  return report.warnings > 0 ? 3 : 0;
}
