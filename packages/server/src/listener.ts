/** The HTTP server of a process: what its connections may do, how it begins to listen, and how it ends. */
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerClientErrors } from './http/problem.ts';
import { breakOffPost, letBodiesWait } from './ingest/body.ts';
import { checkLimits } from './options.ts';
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
}

export class HttpListener {
  readonly server: Server;

  /** @throws {@link StreamError} `ERR_LIMIT` */
  constructor(listener: RequestListener, options: ListenerOptions) {
    const { limitHeaderBytes = 16_384, requestTimeoutMs: requestTimeout } = options;
    checkLimits({ limitHeaderBytes });
    const limits = { maxHeaderSize: limitHeaderBytes, keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS, requestTimeout };
    this.server = letBodiesWait(createServer(limits, listener), listener);
    this.server.on('clientError', answerClientErrors({ limitHeaderBytes, breakOffPost, isTaken }));
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
