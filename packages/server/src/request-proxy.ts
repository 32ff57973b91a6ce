/* A request that another process answers: whatever its method, as that process would answer it itself.
 *   GET /vehicles/latest   -> GET /vehicles/latest, X-Forwarded-For: 203.0.113.7   -> status, fields and content as they come
 *   POST /vehicles, Expect -> the header alone; 100 Continue -> asked for here     -> the answer, be it before all content came
 *   Accept: text/event-stream (a live query) -> a connection of its own, which ends with that of who asked
 * Fields that are of one connection stay on it. Nothing is asked twice. Where that process does not answer: 503. */
import {
  Agent,
  type ClientRequest,
  request as httpRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type ServerResponse,
} from 'node:http';
import { pipeline } from 'node:stream';
import { EVENT_STREAM_MEDIA_TYPE, type StreamError } from '@ldes-live/rdf-stream';
import { errors } from './errors.ts';
import { isAnswerable, writeProblem } from './http/problem.ts';
import { EMPTY_RESULT, withResult } from './ingest/append.ts';
import { askForBody, drainRequest, isBodyAwaited, onBreakOff, type Sleep } from './ingest/body.ts';

/** Connections to the owner at a time; what is above waits for one of them. */
const OWNER_CONNECTIONS = 64;

/** For how long a connection to the owner is kept for the next request: shorter than the owner keeps it, milliseconds. */
const KEEP_ALIVE_MS = 60_000;

/** What belongs to one connection. @see https://www.rfc-editor.org/rfc/rfc9110#section-7.6.1 */
const OF_CONNECTION = new Set([
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** What {@link RequestProxy} takes. */
interface ProxyOptions {
  readonly sleep: Sleep;
  /** Added to each request, by lower-case name. @defaultValue none */
  readonly fields?: Readonly<Record<string, string>>;
  /** What is answered where the owner does not answer. */
  readonly lost: (cause: unknown) => StreamError;
}

/** Has requests answered by the process that has the logs. */
export class RequestProxy {
  readonly #options: ProxyOptions;
  readonly #agent = new Agent({ keepAlive: true, maxSockets: OWNER_CONNECTIONS, timeout: KEEP_ALIVE_MS });
  /** As it was asked for last: it seldom changes. */
  #owner = { url: '', hostname: '', port: '' };

  constructor(options: ProxyOptions) {
    this.#options = options;
  }

  /**
   * Answers a request.
   *
   * @param ownerUrl - where the process listens that answers it, without a path
   * @param signal - ends the wait for that
   * @param lost - in place of that of the proxy
   * @see specs/ingest.md
   */
  answer(
    request: IncomingMessage,
    response: ServerResponse,
    ownerUrl: string,
    { signal, lost = this.#options.lost }: { readonly signal?: AbortSignal; readonly lost?: ProxyOptions['lost'] } = {},
  ): void {
    const { sleep, fields } = this.#options;
    const { url = '/', method = 'GET', headers } = request;
    const hasBody = Number(headers['content-length'] ?? 0) > 0 || headers['transfer-encoding'] !== undefined;
    // Documents have no use for it.
    const isSent = hasBody && method !== 'GET' && method !== 'HEAD';
    if (this.#owner.url !== ownerUrl) this.#owner = { url: ownerUrl, ...addressOf(ownerUrl) };
    const { hostname, port } = this.#owner;
    // Events without an end are not to take a connection that others wait for.
    const agent = !headers.accept?.includes(EVENT_STREAM_MEDIA_TYPE) && this.#agent;
    let passed: ClientRequest;
    try {
      // The path as it was written, dots and all.
      const asked = { ...requestFields(request, isSent), ...fields };
      passed = httpRequest({ hostname, port, path: url, method, headers: asked, agent, ...(signal && { signal }) });
    } catch (error) {
      writeProblem(response, errors.ERR_REQUEST({ reason: (error as Error).message }, error));
      return;
    }
    const content = isSent ? passContent(request, response, passed) : undefined;
    if (!content) passed.end();
    const settle = () => {
      content?.end();
      // What is still sent is read, so that who sends it finds the answer.
      if (hasBody && !content?.isBroken && !isBodyAwaited(request)) drainRequest(request, response, sleep);
    };
    response.once('close', () => {
      if (!response.writableFinished) passed.destroy();
    });
    passed.on('error', (error) => {
      if (response.headersSent || response.destroyed) return;
      settle();
      writeProblem(response, isAnswerable(error) ? error : lost(error));
    });
    passed.once('response', (answer) => {
      settle();
      // The rest of the content is not sent: the connection is of no more use.
      answer.once('end', () => {
        if (!passed.writableFinished) passed.destroy();
      });
      const fields = withoutConnection(answer.headers);
      // Nothing more can come on the connection of who sends it.
      if (hasBody && (content?.isBroken || isBodyAwaited(request))) fields.connection = 'close';
      response.writeHead(answer.statusCode ?? 502, fields);
      // What breaks one of them off breaks off both.
      pipeline(answer, response, () => {});
    });
  }

  /** Keeps no connection for a next request. What is on its way goes on. */
  close(): void {
    this.#agent.maxFreeSockets = 0;
    for (const sockets of Object.values(this.#agent.freeSockets)) for (const socket of sockets ?? []) socket.destroy();
  }
}

function addressOf(url: string) {
  const { hostname, port } = new URL(url);
  // An address of IPv6 stands in brackets there.
  return { hostname: hostname.replace(/^\[|\]$/g, ''), port };
}

/** Content on its way: it comes as it is asked for, and the owner learns that it broke off as if it was sent there. */
function passContent(request: IncomingMessage, response: ServerResponse, passed: ClientRequest) {
  const content = {
    isBroken: false,
    /** No more of it is sent. */
    end: () => {
      endNotice();
      request.unpipe(passed);
    },
  };
  const send = () => {
    askForBody(request, response);
    request.pipe(passed);
  };
  passed.flushHeaders();
  if (isBodyAwaited(request)) passed.once('continue', send);
  else send();
  request.once('error', () => passed.destroy());
  const endNotice = onBreakOff(request.socket, () => {
    content.isBroken = true;
    request.unpipe(passed);
    // An end within the content is passed on as one: the owner can answer it as long as the connection is not cut.
    if (passed.socket) passed.socket.end();
    else passed.destroy(withResult(errors.ERR_POST_BROKEN_OFF({ bytes: 0 }), EMPTY_RESULT));
  });
  return content;
}

/** The fields of a request as the owner gets them: with where it came from. */
function requestFields({ headers, socket }: IncomingMessage, isSent: boolean): IncomingHttpHeaders {
  const { expect, 'content-length': length, ...fields } = withoutConnection(headers);
  if (isSent) {
    if (expect !== undefined) fields.expect = expect;
    if (length === undefined) fields['transfer-encoding'] = 'chunked';
    else fields['content-length'] = length;
  }
  const before = fields['x-forwarded-for'];
  const { remoteAddress = 'unknown' } = socket;
  return { ...fields, 'x-forwarded-for': before === undefined ? remoteAddress : `${before}, ${remoteAddress}` };
}

function withoutConnection(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const named = headers.connection?.toLowerCase().split(',') ?? [];
  const isOfConnection = (name: string) => OF_CONNECTION.has(name) || named.some((option) => option.trim() === name);
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !isOfConnection(name)));
}
