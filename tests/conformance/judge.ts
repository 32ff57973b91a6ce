import { brotliDecompressSync, constants, gunzipSync } from 'node:zlib';
import { formatOf, parseQuads } from '@ldes-live/rdf-stream';
import { canonical } from '@ldes-live/test-support/rdf';
import { expect } from 'vitest';
import type { ConformanceCase, Expected } from './conformance-case.ts';
import { type Answer, exchange, exchangeRaw } from './http-exchange.ts';
import { fill, namesLacking, type Target } from './target.ts';

// A document of a living stream may change between two requests: then both are made again.
const MAX_ATTEMPTS = 5;

/**
 * Makes the request of a case and asserts its expectation.
 *
 * @returns the names of what the case is about and the server lacks; of none, where the case was judged
 */
export async function judge(tried: ConformanceCase, target: Target): Promise<readonly string[]> {
  const url = fill(tried.url, target);
  const lacking = namesLacking(`${tried.url} ${tried.expected.stream ?? ''}`, target);
  if (url === undefined || lacking.length > 0) return lacking;
  for (let attempt = 1; ; attempt += 1) {
    const plain = await plainAnswer(url, tried);
    const values = { ...target, ...variables(plain) };
    const headers = filledHeaders(tried, values);
    if (!headers) return namesLacking(Object.values(tried.headers).join(), values);
    const isEnough = (sofar: Answer) => said(tried.expected, target)?.test(streamText(sofar)) ?? true;
    const answer = tried.raw ? await exchangeRaw(url, tried.raw) : await exchange(url, tried.method, headers, isEnough);
    const reference = await referenceAnswer(url, tried.expected, headers.accept);
    const after = await plainAnswer(url, tried);
    if (plain?.headers.etag !== after?.headers.etag && attempt < MAX_ATTEMPTS) continue;
    await expectAnswer(answer, tried, { url, plain, target, reference });
    return [];
  }
}

interface Context {
  readonly url: string;
  readonly plain: Answer | undefined;
  readonly target: Target;
  /** What the content is compared with. */
  readonly reference: Answer | undefined;
}

async function expectAnswer(answer: Answer, { status, expected }: ConformanceCase, context: Context): Promise<void> {
  expect(answer.status, `status, with ${answer.content.subarray(0, 300)}`).toBe(status);
  for (const [name, value] of Object.entries(expected.headers ?? {})) {
    if (value === null) expect(answer.headers, name).not.toHaveProperty(name);
    else if (value instanceof RegExp) expect(answer.headers[name] ?? '', name).toMatch(value);
    else expect(answer.headers[name], name).toBe(fill(value, { ...context.target, ...variables(context.plain) }));
  }
  for (const name of expected.asPlain?.split(' ') ?? [])
    expect(answer.headers[name], name).toBe(context.plain?.headers[name]);
  if (expected.scheduled) expectScheduled(answer);
  if (expected.problem) expectProblem(answer, expected.problem);
  const stream = said(expected, context.target);
  if (stream) expect(streamText(answer), 'what the stream says').toMatch(stream);
  await expectContent(answer, expected.content, context);
}

// What a stream is to say, with what stands in it taken as it is.
function said({ stream }: Expected, target: Target): RegExp | undefined {
  const names = Object.entries(target).map(([name, value]) => [name, value?.replace(/[^\w\s]/g, '\\$&')]);
  return stream === undefined ? undefined : new RegExp(fill(stream, Object.fromEntries(names)) ?? '(?!)', 's');
}

// What has come of a stream, which has no end.
function streamText({ headers, content }: Answer): string {
  if (headers['content-encoding'] !== 'gzip') return content.toString();
  return gunzipSync(content, { finishFlush: constants.Z_SYNC_FLUSH }).toString();
}

function expectScheduled({ headers }: Answer): void {
  const [date, expires] = [headers.date, headers.expires].map((value) => Date.parse(value ?? ''));
  const maxAge = Number(
    /^public, max-age=(\d+), stale-if-error=\d+$/.exec(headers['cache-control'] ?? '')?.[1] ?? 'NaN',
  );
  expect(maxAge, `max-age of ${headers['cache-control']}`).toBeGreaterThanOrEqual(0);
  expect(expires as number, 'expires').toBeGreaterThanOrEqual(date as number);
  const next = headers['next-update'];
  const nginxSeconds = (expires as number) / 1000 - (next === undefined ? 2 : 1);
  expect(headers['x-accel-expires'], 'x-accel-expires').toBe(`@${nginxSeconds}`);
  if (next === undefined) {
    expect(maxAge, 'max-age without a prediction').toBe(1);
    return;
  }
  expect(next).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
  expect(expires as number, 'expires').toBeLessThanOrEqual(Date.parse(next));
  // The date has whole seconds, the age counts from within the second.
  expect(maxAge, 'max-age').toBeLessThanOrEqual((Date.parse(next) - (date as number)) / 1000);
  expect(maxAge, 'max-age').toBeGreaterThan((Date.parse(next) - (date as number)) / 1000 - 2);
}

function expectProblem(answer: Answer, expectedCode: string | RegExp): void {
  expect(answer.headers['content-type']).toBe('application/problem+json');
  expect(answer.headers['cache-control']).toBe('no-store');
  expect(answer.headers).not.toHaveProperty('etag');
  const problem = JSON.parse(answer.content.toString());
  const { code } = problem;
  expect(code).toEqual(typeof expectedCode === 'string' ? expectedCode : expect.stringMatching(expectedCode));
  expect(problem).toMatchObject({
    type: expect.stringMatching(new RegExp(`^https?://.*#${code.toLowerCase()}$`)),
    title: expect.stringMatching(/./),
    status: answer.status,
    detail: expect.stringMatching(/./),
  });
}

async function expectContent(answer: Answer, content: Expected['content'], { url, reference }: Context): Promise<void> {
  if (content === undefined) return;
  if (content === 'none') expect(answer.content.length, 'bytes').toBe(0);
  else if (content instanceof RegExp) expect(answer.content.toString()).toMatch(content);
  else if (content === 'identity') {
    expect(reference?.headers).not.toHaveProperty('content-encoding');
    expect(decoded(answer).equals(reference?.content as Buffer), 'the same bytes').toBe(true);
  } else {
    const expected = await dataset(reference as Answer, url);
    expect(expected, 'statements').not.toBe('');
    expect(await dataset(answer, url)).toBe(expected);
  }
}

async function referenceAnswer(
  url: string,
  { content }: Expected,
  accept: string | undefined,
): Promise<Answer | undefined> {
  if (content === 'triples') return exchange(url, 'GET', { accept: 'application/n-quads' });
  return content === 'identity' ? exchange(url, 'GET', accept === undefined ? {} : { accept }) : undefined;
}

// Labels of blank nodes differ from format to format.
async function dataset(answer: Answer, url: string): Promise<string> {
  const format = formatOf(answer.headers['content-type'] ?? '');
  if (!format) throw new Error(`${answer.headers['content-type']} is no format of RDF`);
  return canonical(await parseQuads(decoded(answer).toString(), format, url));
}

function decoded({ headers, content }: Answer): Buffer {
  const encoding = headers['content-encoding'];
  if (encoding === 'gzip') return gunzipSync(content);
  return encoding === 'br' ? brotliDecompressSync(content) : content;
}

// The same request without conditions; none where the case is not about a document.
async function plainAnswer(url: string, { method, headers, raw }: ConformanceCase): Promise<Answer | undefined> {
  const kept = ['accept', 'accept-encoding'].filter((name) => name in headers);
  const isDocument = raw === undefined && ['GET', 'HEAD'].includes(method) && !/[?%]|\/events$/.test(url);
  if (!isDocument || url.length > 1000) return undefined;
  return exchange(url, 'GET', Object.fromEntries(kept.map((name) => [name, headers[name] as string])));
}

function filledHeaders(
  { headers }: ConformanceCase,
  values: Record<string, string | undefined>,
): Record<string, string> | undefined {
  const filled = Object.entries(headers).map(([name, value]) => [name, fill(value, values)] as const);
  if (filled.some(([, value]) => value === undefined)) return undefined;
  return Object.fromEntries(filled) as Record<string, string>;
}

// What a conditional request repeats, in all the forms in which dates may be written (RFC 9110, section 5.6.7).
function variables(plain: Answer | undefined): Record<string, string | undefined> {
  const etag = plain?.headers.etag;
  const lastModified = plain?.headers['last-modified'];
  if (!etag || !lastModified) return { etag, lastModified };
  const date = new Date(lastModified);
  const [day = '', dd = '', month = '', year = '', time = ''] = lastModified.replace(',', '').split(' ');
  const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
  return {
    etag,
    opaque: etag.replaceAll('"', ''),
    lastModified,
    obsolete: `${days[date.getUTCDay()]}, ${dd}-${month}-${year.slice(2)} ${time} GMT`,
    asctime: `${day} ${month} ${String(Number(dd)).padStart(2)} ${time} ${year}`,
    secondBefore: new Date(date.getTime() - 1000).toUTCString(),
    secondAfter: new Date(date.getTime() + 1000).toUTCString(),
  };
}
