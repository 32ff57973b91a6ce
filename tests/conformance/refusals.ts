import { ask, type ConformanceCase } from './conformance-case.ts';

const REFUSED: readonly (readonly [name: string, url: string, status: number, problem: string, says?: string])[] = [
  ['ERR-1 ERR-2 ERR-11', '{base}nonsense/latest', 404, 'ERR_STREAM_UNKNOWN'],
  ['DOC-1 ERR-2 ERR-12', '{root}/nonsense', 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['DOC-1 ERR-2 ERR-13', '{root}/pages/{epoch}/999999999', 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['DOC-1 ERR-2 ERR-14', '{root}/pages/{epoch}/range-999999999', 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['DOC-1 ERR-2 ERR-15', '{root}/pages/{epoch}/000', 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['DOC-1 ERR-2 ERR-16', '{root}/pages/{epoch}/-1', 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['DOC-14 ERR-2 ERR-17', '{root}/entities/none-of-that-name', 404, 'ERR_DOCUMENT_UNKNOWN'],
  ['DOC-1 ERR-2 ERR-18', '{root}/pages/otherlife/0', 410, 'ERR_CURSOR_GONE'],
  ['DOC-1 ERR-2 ERR-19', '{root}/pages/otherlife/range-0', 410, 'ERR_CURSOR_GONE'],
  ['DOC-13 ERR-2 ERR-20', '{pages}?after=otherlife-1', 410, 'ERR_CURSOR_GONE'],
  ['DOC-13 ERR-2 ERR-21', '{pages}?after={epoch}-9007199254740991', 410, 'ERR_CURSOR_GONE'],
  ['DOC-13 ERR-2 ERR-22', '{pages}', 400, 'ERR_CURSOR_MISSING'],
  ['DOC-13 PUSH-2 ERR-2 ERR-23', '{pages}?after=nonsense', 400, 'ERR_CURSOR_MALFORMED'],
  ['PUSH-2 ERR-2 ERR-24', '{pages}?after={epoch}-007', 400, 'ERR_CURSOR_MALFORMED', ', for leading zeros'],
  ['PUSH-2 ERR-2 ERR-25', '{pages}?after={epoch}-9007199254740992', 400, 'ERR_CURSOR_MALFORMED', ', past 2^53 - 1'],
  ['PUSH-12 ERR-2 ERR-26', '{events}?from=nonsense', 400, 'ERR_CURSOR_MALFORMED'],
  ['PUSH-12 ERR-2 ERR-27', '{events}?colour=red', 400, 'ERR_QUERY_UNKNOWN'],
  ['ERR-1 ERR-2 ERR-28', '{root}/%', 400, 'ERR_REQUEST', ', for a broken escape'],
];

// RFC 9110, section 15.5.15; RFC 6585, section 5; RFC 9112, section 3.
const UNREADABLE: readonly (readonly [name: string, status: number, url: string, raw?: string])[] = [
  ['ERR-60 a URL that is too long', 414, `{latest}?x=${'a'.repeat(9000)}`],
  ['ERR-61 a path that is too long', 414, `{root}/entities/${'a'.repeat(9000)}`],
  ['ERR-62 header fields that are too long', 431, '{latest}', get(`X-Long: ${'a'.repeat(40_000)}`)],
  ['ERR-63 a header field without a colon', 400, '{latest}', get('no field')],
  ['ERR-64 what is no HTTP', 400, '{latest}', 'Good morning\r\n\r\n'],
];

/** What is refused, and how. */
const errorCases: readonly ConformanceCase[] = [
  ...REFUSED.map(([name, url, status, problem, says = '']) =>
    ask(`${name} ${url} is ${status}${says}`, url, status, { problem }),
  ),
  ...['POST', 'PUT', 'PATCH', 'DELETE'].map((method, index) =>
    refusedMethod(`ERR-${40 + index}`, `${method} {latest}`, '\ncontent-type: text/turtle'),
  ),
  ...['{root}', '{pages}', '{events}', '{sealed}'].map((url, index) =>
    refusedMethod(`ERR-${44 + index}`, `POST ${url}`),
  ),
  ask('PUSH-1 ERR-50 who takes no event stream gets none', '{events}\naccept: text/turtle', 406, {
    problem: 'ERR_FORMAT_UNACCEPTABLE',
  }),
  ask('ERR-1 ERR-51 a 404 names the streams that there are', '{base}nonsense', 404, {
    problem: 'ERR_STREAM_UNKNOWN',
    content: /"known":\["http/,
  }),
  ask('DOC-18 ERR-1 ERR-52 an error to HEAD has no content', 'HEAD {root}/nonsense', 404, {
    headers: { 'content-type': 'application/problem+json', 'cache-control': 'no-store' },
    content: 'none',
  }),
  ask('ERR-1 ERR-53 who asks for Turtle gets problems all the same', '{root}/nonsense\naccept: text/turtle', 404, {
    problem: 'ERR_DOCUMENT_UNKNOWN',
  }),
  ...UNREADABLE.map(([name, status, url, raw]) => ({
    ...ask(`ERR-1 ${name}: ${status}`, url, status, {
      headers: { 'access-control-allow-origin': '*' },
      problem: /^ERR_[A-Z_]+$/,
    }),
    ...(raw !== undefined && { raw }),
  })),
];

function get(field: string): string {
  return `GET / HTTP/1.1\r\nHost: localhost\r\n${field}\r\nConnection: close\r\n\r\n`;
}

function refusedMethod(id: string, line: string, fields = ''): ConformanceCase {
  return ask(`ERR-1 ${id} ${line} is not allowed`, `${line}${fields}\ncontent-length: 0`, 405, {
    headers: { allow: /^GET, HEAD/ },
    problem: 'ERR_METHOD',
  });
}

const ORIGIN = 'origin: https://map.example.org';
const PREFLIGHT = `${ORIGIN}\naccess-control-request-method: GET\naccess-control-request-headers: accept, if-none-match, last-event-id`;
const EXPOSED = {
  'access-control-expose-headers':
    /^(?=.*\bETag\b)(?=.*\bLink\b)(?=.*\bLDES-Cursor\b)(?=.*\bNext-Update\b)(?=.*\bRetry-After\b)/i,
};
const READABLE = { 'access-control-allow-origin': '*', ...EXPOSED };

/** What pages of other origins may do: read everything, whatever the answer is. */
const originCases: readonly ConformanceCase[] = [
  ...['{base}', '{root}', '{latest}', '{sealed}', '{open}', '{range}', '{entity}', '{base}ns/live', '{base}health'].map(
    (url, index) =>
      ask(
        `Fetch Standard, CORS protocol ORI-${1 + index} ${url} may be read, with its fields`,
        `${url}\n${ORIGIN}`,
        200,
        {
          headers: { ...READABLE, 'access-control-allow-credentials': null },
        },
      ),
  ),
  ask(
    'Fetch Standard, CORS protocol ORI-10 without an Origin too, since caches hand answers to others',
    '{latest}',
    200,
    {
      headers: { 'access-control-allow-origin': '*', vary: /^(?!.*Origin)/ },
    },
  ),
  ask('PUSH-1 ORI-11 a push stream may be read', `{events}\n${ORIGIN}`, 200, { headers: READABLE }),
  ask('ERR-1 ORI-12 an error may be read', `{root}/nonsense\n${ORIGIN}`, 404, {
    headers: EXPOSED,
    problem: 'ERR_DOCUMENT_UNKNOWN',
  }),
  ask('DOC-13 ORI-13 a redirect may be followed', `{pages}?after={head}\n${ORIGIN}`, 307, {
    headers: { 'access-control-allow-origin': '*' },
  }),
  ask('DOC-11 ORI-14 a 304 may be read', `{latest}\n${ORIGIN}\nif-none-match: {etag}`, 304, { headers: READABLE }),
  ...['{base}', '{root}', '{latest}', '{sealed}', '{pages}', '{events}'].map((url, index) =>
    ask(
      `DOC-42 ORI-${20 + index} a CORS-preflight request of ${url} (Fetch Standard) is granted`,
      `OPTIONS ${url}\n${PREFLIGHT}`,
      204,
      {
        headers: {
          'access-control-allow-methods': /^(?=.*\bGET\b)(?=.*\bHEAD\b)/,
          'access-control-allow-headers': /^(?=.*\bAccept\b)(?=.*\bIf-None-Match\b)(?=.*\bLast-Event-ID\b)/i,
          'access-control-max-age': '86400',
        },
        content: 'none',
      },
    ),
  ),
];

/** What is refused and how, and what pages of other origins may read. */
export const refusalCases = [...errorCases, ...originCases];
