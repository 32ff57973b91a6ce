import { createRequire } from 'node:module';
import { setTimeout as delay } from 'node:timers/promises';
import type { CheckCommand } from '../command-line/check-command.ts';
import type { Environment } from '../environment.ts';
import { TextOutput } from '../terminal/text-output.ts';
import { type CheckLimits, DEFAULT_CHECK_LIMITS } from './check-limits.ts';
import { survey } from './evidence/survey.ts';
import { PoliteClient } from './http/polite-client.ts';
import { type CheckedHosts, hostsOf } from './http/public-hosts.ts';
import { createSendRequest } from './http/send-request.ts';
import { exitCode, judge } from './judge.ts';
import { pollingCost } from './polling-cost.ts';
import { type CheckReport, jsonReport } from './report.ts';
import { textReport } from './text-report.ts';

/**
 * Checks the endpoint of a stream and prints what is wrong.
 *
 * @param limits - where they differ from {@link DEFAULT_CHECK_LIMITS}; how many pages is the command's to say
 * @returns the exit code
 * @throws {@link StreamError} `ERR_OUTPUT` - the output cannot be written
 * @see specs/check.md
 */
export async function check(
  command: CheckCommand,
  edge: Environment,
  limits: Partial<CheckLimits> = {},
): Promise<number> {
  const { stdout, stderr, env } = edge;
  const width = Math.min(stderr.columns ?? 80, 120);
  const isWatched = stderr.isTTY === true;
  const clear = '\r\u001b[K';
  const onProgress = (doing: string) => {
    if (isWatched) stderr.write(`${clear}${doing.slice(0, width - 1)}`);
  };
  const output = new TextOutput(stdout);
  const hosts = command.hosts ?? (await hostsOf(command.url));
  const report = await checkStream(command.url, { ...limits, pages: command.pages }, { ...edge, hosts }, onProgress);
  if (isWatched) stderr.write(clear);
  const layout = {
    width: Math.min(stdout.columns ?? 80, 100),
    hasColour: stdout.isTTY === true && (env.NO_COLOR ?? '') === '',
  };
  await output.write(command.format === 'json' ? jsonReport(report) : textReport(report, layout));
  output.close();
  return exitCode(report.evidence, report.findings);
}

/**
 * Checks a stream; never fails: what cannot be read is a finding.
 *
 * @param url - of the stream, the root, or an overview
 * @param limits - where they differ from {@link DEFAULT_CHECK_LIMITS}
 * @param options.hosts - which may be asked. @defaultValue `any`
 */
export async function checkStream(
  url: string,
  limits: Partial<CheckLimits>,
  { clock, interrupted, hosts = 'any' }: Pick<Environment, 'clock' | 'interrupted'> & { readonly hosts?: CheckedHosts },
  onProgress: (doing: string) => void = () => undefined,
): Promise<CheckReport> {
  const all = { ...DEFAULT_CHECK_LIMITS, ...limits };
  const { version } = createRequire(import.meta.url)('../../package.json') as { version: string };
  const { send, close } = createSendRequest(clock, hosts);
  const client = new PoliteClient({
    send,
    limits: all,
    clock,
    sleep: (ms, signal) => delay(ms, undefined, { signal }),
    signal: interrupted,
    userAgent: `ldes-live/${version} (check)`,
  });
  try {
    const evidence = await survey(url, { client, pages: all.pages, onProgress });
    const { requests, bytes, elapsedMs, stopped } = client;
    const extent = {
      pagesRead: evidence.nodes.length,
      pagesKnown: evidence.knownNodes,
      requests,
      bytes,
      seconds: elapsedMs / 1000,
      ...(stopped !== undefined && { stopped }),
    };
    return { evidence, findings: judge(evidence), polling: pollingCost(evidence), extent };
  } finally {
    close();
  }
}
