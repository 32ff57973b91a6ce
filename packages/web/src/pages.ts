/*
 * The browser application as answers to requests: one HTML document, and the assets that it loads.
 *
 *   folder/index.html       -> any URL that a server asks for, with the options in its <meta name="ldes-live">
 *   folder/assets/NAME-HASH -> /web/assets/NAME-HASH, precompressed, kept for a year
 */
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import sirv from 'sirv';
import { errors } from './errors.ts';

/** How the pages are, and where they are. */
export interface WebOptions {
  /** URL of a MapLibre style for the map: absolute, or a path of the server. @defaultValue the outlines that ship */
  readonly style?: string;
  /** Whether the pages may read streams of other servers. @defaultValue false */
  readonly foreign?: boolean;
  /** The public URL of the server, where its origin may differ from that at which the pages are opened. */
  readonly publicUrl?: string;
  /** The built application. @defaultValue the one of this package */
  readonly folder?: string;
}

/**
 * Answers a GET or HEAD by a page or an asset.
 *
 * @param path - of the URL below the server's public one, without query; that of the request when absent
 * @returns `false` where nothing is done, since there is nothing at that path
 */
export type Pages = (request: IncomingMessage, response: ServerResponse, path?: string) => boolean;

const FOLDER = fileURLToPath(new URL('../dist/app', import.meta.url));

/** What stands in the built document, in the place of the options. */
const PLACEHOLDER = '<meta name="ldes-live" content="{}">';

const ALL_FIELDS = { 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' };

/**
 * Makes the pages, as the option `pages` of a server takes them.
 *
 * @throws {@link StreamError} `ERR_WEB_NOT_BUILT` - the application is not in the folder
 * @throws {@link StreamError} `ERR_WEB_STYLE` - the style is no URL
 * @see specs/web.md
 * @example
 * ```ts
 * const server = await createLiveServer({ publicUrl, streams, pages: webPages() });
 * ```
 */
export function webPages(options: WebOptions = {}): Pages {
  const { style, foreign, folder = FOLDER } = options;
  const policy = contentSecurityPolicy(options);
  const html = Buffer.from(withOptions(folder, { ...(style && { style }), ...(foreign && { foreign }) }));
  const etag = `"${createHash('sha256').update(html).digest('base64url').slice(0, 22)}"`;
  const fields = {
    ...ALL_FIELDS,
    'cache-control': 'no-cache',
    'content-security-policy': policy,
    etag,
    vary: 'Accept',
  };
  const asset = assetsOf(folder);
  return (request, response, path = pathOf(request)) => {
    if (path.startsWith('/web/')) return asset(request, response, path.slice('/web'.length));
    setFields(response, fields);
    if (isKnown(request.headers['if-none-match'], etag)) response.writeHead(304).end();
    else {
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-length': html.length });
      response.end(request.method === 'HEAD' ? undefined : html);
    }
    return true;
  };
}

/** The document, with the options for the application in its head. */
function withOptions(folder: string, options: object): string {
  const file = join(folder, 'index.html');
  if (!existsSync(file)) throw errors.ERR_WEB_NOT_BUILT({ folder, reason: 'has no index.html' });
  const html = readFileSync(file, 'utf8');
  const [before, after] = html.split(PLACEHOLDER);
  if (before === undefined || after === undefined) {
    throw errors.ERR_WEB_NOT_BUILT({ folder, reason: `has an index.html without ${PLACEHOLDER}` });
  }
  const content = JSON.stringify(options).replace(/[&<>"']/g, (character) => `&#${character.codePointAt(0)};`);
  return `${before}<meta name="ldes-live" content="${content}">${after}`;
}

/** Answers what is below `/assets/`; `false` where there is no such file. */
function assetsOf(folder: string): (request: IncomingMessage, response: ServerResponse, path: string) => boolean {
  // What an application around has said, which sirv takes the place of before it asks for further fields.
  let vary: string | undefined;
  const serve = sirv(folder, {
    brotli: true,
    gzip: true,
    extensions: [],
    setHeaders: (response) => {
      setFields(response, { ...ALL_FIELDS, 'cache-control': 'public, max-age=31536000, immutable' });
      if (vary !== undefined) setFields(response, { vary });
      // A file that cannot be read must not end the process, and one whose reader has gone must not stay open.
      response.once('pipe', (file: Readable) => {
        file.on('error', () => response.destroy());
        response.on('close', () => file.destroy());
      });
    },
  });
  return ({ headers, method }, response, url) => {
    if (!url.startsWith('/assets/')) return false;
    let isFound = true;
    vary = response.getHeader('vary')?.toString();
    // Neither ranges nor conditions: what never changes is asked for once.
    const request = { url, method, headers: { 'accept-encoding': headers['accept-encoding'] } } as IncomingMessage;
    serve(request, response, () => {
      isFound = false;
    });
    return isFound;
  };
}

/** What an application around has said stays; of `Vary` both say what there is. */
function setFields(response: ServerResponse, fields: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(fields)) {
    if (!response.hasHeader(name)) response.setHeader(name, value);
    else if (name === 'vary') response.setHeader(name, [value, response.getHeader(name)].flat().join(', '));
  }
}

/**
 * What the pages may load: all from their own server, and what the options name besides.
 *
 * @see specs/web.md WEB-6
 */
function contentSecurityPolicy({ style, foreign, publicUrl }: WebOptions): string {
  // The tiles, glyphs and images of a style may be anywhere.
  const ofStyle = style === undefined ? [] : ['https:', ...originOf(style)];
  const connected = [
    ...(publicUrl === undefined ? [] : [new URL(publicUrl).origin]),
    ...ofStyle,
    ...(foreign ? ['http:', 'https:'] : []),
  ];
  const sources = (...names: readonly string[]) => [...new Set(["'self'", ...names])].join(' ');
  const directives = {
    'default-src': "'self'",
    'connect-src': sources(...connected),
    'img-src': sources('data:', 'blob:', ...ofStyle),
    'worker-src': "'self'",
    'style-src': "'self'",
    'script-src': "'self'",
    'object-src': "'none'",
    'base-uri': "'none'",
    'form-action': "'self'",
    'frame-ancestors': "'self'",
  };
  return Object.entries(directives)
    .map(([name, value]) => `${name} ${value}`)
    .join('; ');
}

/** The origin of a style; none where it is a path of the server itself. */
function originOf(style: string): string[] {
  const own = 'http://self.invalid';
  const url = URL.canParse(style, own) ? new URL(style, own) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw errors.ERR_WEB_STYLE({ style });
  return url.origin === own ? [] : [url.origin];
}

/** Whether a client has what has this entity tag. */
function isKnown(field: string | undefined, etag: string): boolean {
  return field !== undefined && (field.trim() === '*' || field.split(',').some((tag) => tag.trim() === etag));
}

function pathOf({ url = '/' }: IncomingMessage): string {
  return /^[^?#]*/.exec(url)?.[0] ?? url;
}
