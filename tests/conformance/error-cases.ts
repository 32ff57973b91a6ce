import type { ConformanceCase } from './conformance-case.ts';

type Refused = readonly [id: string, cites: string, url: string, status: number, problem: string, says?: string];

const REFUSED: readonly Refused[] = [
  ['ERR-10', 'ERR-1', '{base}nonsense', 404, 'ERR_STREAM_UNKNOWN'],
  ['ERR-11', 'ERR-1', '{base}nonsense/latest', 404, 'ERR_STREAM_UNKNOWN'],
  ['ERR-12', 'DOC-1', '{root}/nonsense', 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['ERR-13', 'DOC-1', '{root}/pages/{epoch}/999999999', 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['ERR-14', 'DOC-1', '{root}/pages/{epoch}/range-999999999', 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['ERR-15', 'DOC-1', '{root}/pages/{epoch}/000', 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['ERR-16', 'DOC-1', '{root}/pages/{epoch}/-1', 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['ERR-17', 'DOC-14', '{root}/entities/none-of-that-name', 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['ERR-18', 'DOC-1', '{root}/pages/otherlife/0', 410, 'ERR_CURSOR_GONE'],
  ['ERR-19', 'DOC-1', '{root}/pages/otherlife/range-0', 410, 'ERR_CURSOR_GONE'],
  ['ERR-20', 'DOC-13', '{pages}?after=otherlife-1', 410, 'ERR_CURSOR_GONE'],
  ['ERR-21', 'DOC-13', '{pages}?after={epoch}-9007199254740991', 410, 'ERR_CURSOR_GONE'],
  ['ERR-22', 'DOC-13', '{pages}', 400, 'ERR_CURSOR_MISSING'],
  ['ERR-23', 'DOC-13 PUSH-2', '{pages}?after=nonsense', 400, 'ERR_CURSOR_MALFORMED'],
  ['ERR-24', 'PUSH-2', '{pages}?after={epoch}-007', 400, 'ERR_CURSOR_MALFORMED', 'leading zeros'],
  ['ERR-25', 'PUSH-2', '{pages}?after={epoch}-9007199254740992', 400, 'ERR_CURSOR_MALFORMED', 'past 2^53 - 1'],
  ['ERR-26', 'PUSH-12', '{events}?from=nonsense', 400, 'ERR_CURSOR_MALFORMED'],
  ['ERR-27', 'PUSH-12', '{events}?colour=red', 400, 'ERR_QUERY_UNKNOWN'],
  ['ERR-28', 'ERR-1', '{root}/%', 400, 'ERR_REQUEST', 'a broken escape'],
];

type Unreadable = readonly [id: string, says: string, status: number, url: string, raw?: string];

// RFC 9110, section 15.5.15; RFC 6585, section 5; RFC 9112, section 3.
const UNREADABLE: readonly Unreadable[] = [
  ['ERR-60', 'a URL that is too long', 414, `{latest}?x=${'a'.repeat(9000)}`],
  ['ERR-61', 'a path that is too long', 414, `{root}/entities/${'a'.repeat(9000)}`],
  ['ERR-62', 'header fields that are too long', 431, '{latest}', get(`X-Long: ${'a'.repeat(40_000)}`)],
  ['ERR-63', 'a header field without a colon', 400, '{latest}', get('no field')],
  ['ERR-64', 'what is no HTTP', 400, '{latest}', 'Good morning\r\n\r\n'],
];

/** What is refused, and how. */
export const errorCases: readonly ConformanceCase[] = [
  ...REFUSED.map(
    ([id, cites, url, status, code, says = '']): ConformanceCase => ({
      id,
      cites: `${cites} ERR-2`,
      says: `${url} is ${status}${says && `: ${says}`}`,
      url,
      expected: { status, problem: code },
    }),
  ),
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method, index) =>
    refusedMethod(`ERR-${40 + index}`, method, '{latest}', { 'content-type': 'text/turtle' }),
  ),
  ...['{root}', '{pages}', '{events}', '{sealed}'].map((url, index) => refusedMethod(`ERR-${44 + index}`, 'POST', url)),
  {
    id: 'ERR-50',
    cites: 'PUSH-1',
    says: 'who takes no event stream gets none',
    url: '{events}',
    headers: { accept: 'text/turtle' },
    expected: { status: 406, problem: 'ERR_FORMAT_UNACCEPTABLE' },
  },
  {
    id: 'ERR-51',
    cites: 'ERR-3',
    says: 'a 404 names the streams that there are',
    url: '{base}nonsense',
    expected: { status: 404, problem: 'ERR_STREAM_UNKNOWN', content: /"known":\["http/ },
  },
  {
    id: 'ERR-52',
    cites: 'DOC-18 ERR-1',
    says: 'an error to HEAD has no content',
    url: '{root}/nonsense',
    method: 'HEAD',
    expected: {
      status: 404,
      headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
      content: 'none',
    },
  },
  {
    id: 'ERR-53',
    cites: 'ERR-1',
    says: 'who asks for Turtle gets errors as problem documents all the same',
    url: '{root}/nonsense',
    headers: { accept: 'text/turtle' },
    expected: { status: 404, problem: 'ERR_DOCUMENT_UNKNOWN' },
  },
  ...UNREADABLE.map(
    ([id, says, status, url, raw]): ConformanceCase => ({
      id,
      cites: 'ERR-1',
      says: `${says}: ${status}`,
      url,
      ...(raw !== undefined && { raw }),
      expected: { status, headers: { 'access-control-allow-origin': '*' }, problem: /^ERR_[A-Z_]+$/ },
    }),
  ),
];

function get(field: string): string {
  return `GET / HTTP/1.1\r\nHost: localhost\r\n${field}\r\nConnection: close\r\n\r\n`;
}

function refusedMethod(
  id: string,
  method: string,
  url: string,
  headers: Readonly<Record<string, string>> = {},
): ConformanceCase {
  return {
    id,
    cites: 'ERR-1',
    says: `${method} is not for ${url}`,
    url,
    method,
    headers: { ...headers, 'content-length': '0' },
    expected: { status: 405, headers: { allow: /^GET, HEAD/ }, problem: 'ERR_METHOD' },
  };
}
