import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';

const awaited = new WeakSet<IncomingMessage>();

/**
 * Has a server answer those who wait to be asked for their body (`Expect: 100-continue`) as it answers others: who is
 * refused by the header need not send it.
 *
 * @see https://www.rfc-editor.org/rfc/rfc9110#section-10.1.1
 * @see specs/ingest.md ING-46
 */
export function letBodiesWait(server: Server, listener: RequestListener): Server {
  return server.on('checkContinue', (request, response) => {
    awaited.add(request);
    listener(request, response);
  });
}

/** Whether a request has a body that nobody has asked for yet. */
export function isBodyAwaited(request: IncomingMessage): boolean {
  return awaited.has(request);
}

/** Asks for the body of a request that waits for that. */
export function askForBody(request: IncomingMessage, response: ServerResponse): void {
  if (awaited.delete(request)) response.writeContinue();
}
