/** The server of a process, of HTTP or HTTPS: what its connections may do, how it begins to listen, and how it ends. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import { createServer as createTlsServer, type Server as TlsServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { createSecureContext } from 'node:tls';
import { errors } from './errors.ts';
import { answerClientErrors } from './http/problem.ts';
import { breakOffPost, letBodiesWait } from './ingest/body.ts';
import { checkLimits, type TlsCredentials } from './options.ts';
import { isTaken } from './push/subscriber.ts';

// Connections that may wait to be accepted: those of readers who come back together. Where the system allows fewer, it is
// that; with the default of Node.js, 511, the others would try again only after one second, then two, then four.
const BACKLOG = 4096;

// Longer than caches and load balancers keep theirs, which would else send into a connection that is being closed.
const KEEP_ALIVE_TIMEOUT_MS = 72_000;

// What was asked for before has left by then. Together with what push streams and workers get to end, less than the 10 s
// after which containers are killed.
const CLOSE_GRACE_MS = 500;

interface ListenerOptions {
  readonly limitHeaderBytes?: number | undefined;
  /** How long a request may take to arrive, milliseconds. */
  readonly requestTimeoutMs: number;
  /** Absent for HTTP. */
  readonly tls?: TlsCredentials | undefined;
}

export class HttpListener {
  readonly server: Server;
  readonly #tls: TlsServer | undefined;

  /** @throws {@link StreamError} `ERR_LIMIT`, `ERR_TLS_UNUSABLE` */
  constructor(listener: RequestListener, options: ListenerOptions) {
    const { limitHeaderBytes = 16_384, requestTimeoutMs: requestTimeout, tls } = options;
    checkLimits({ limitHeaderBytes });
    const limits = { maxHeaderSize: limitHeaderBytes, keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS, requestTimeout };
    if (tls) checkTls(tls);
    this.#tls = tls && createTlsServer({ ...limits, ...tls }, listener);
    this.server = letBodiesWait(this.#tls ?? createServer(limits, listener), listener);
    const answer = answerClientErrors({ limitHeaderBytes, breakOffPost, isTaken });
    this.server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
      // Who does not speak TLS, or not as this side does, would wait for an answer that cannot be sent.
      if (tls && !/^(HPE|ERR_HTTP)_/.test(error.code ?? '')) socket.destroy();
      else answer(error, socket);
    });
  }

  /**
   * Gives those who connect from now on another certificate. Connections that there are stay as they are.
   *
   * @throws {@link StreamError} `ERR_TLS_UNUSABLE` - then the former one stays
   */
  setTls(tls: TlsCredentials): void {
    if (!this.#tls) throw new TypeError('The server listens by HTTP: it has no certificate to exchange.');
    checkTls(tls);
    this.#tls.setSecureContext(tls);
  }

  /** Resolves to the port. */
  async listen({ host, port }: { readonly host: string; readonly port: number }): Promise<number> {
    await once(this.server.listen({ host, port, backlog: BACKLOG }), 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  /** Takes no more connections; resolves when requests have ended, or have been cut. */
  async close(): Promise<void> {
    // A client may hold a connection open on which it never asks for anything: it counts as in use.
    const cut = setTimeout(() => this.server.closeAllConnections(), CLOSE_GRACE_MS);
    await new Promise<void>((resolve) => this.server.close(() => resolve()));
    clearTimeout(cut);
  }
}

/**
 * Refuses what no connection could be opened with.
 *
 * @throws {@link StreamError} `ERR_TLS_UNUSABLE` - with the part at fault, `cert` or `key`
 */
export function checkTls({ cert, key }: TlsCredentials): void {
  const attempt = <Value>(part: keyof TlsCredentials, read: () => Value): Value => {
    try {
      return read();
    } catch (error) {
      throw errors.ERR_TLS_UNUSABLE({ part, reason: (error as Error).message }, error);
    }
  };
  const leaf = attempt('cert', () => new X509Certificate(cert));
  const own = attempt('key', () => createPrivateKey(key));
  if (!leaf.checkPrivateKey(own)) {
    throw errors.ERR_TLS_UNUSABLE({ part: 'key', reason: 'it belongs to another certificate' });
  }
  attempt('cert', () => createSecureContext({ cert, key }));
}
