import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import type { LookupFunction } from 'node:net';
import { decodeContent } from './decode-content.ts';
import type { Exchange } from './exchange.ts';
import { type CheckedHosts, forbiddenAddress, publicLookup } from './public-hosts.ts';

/** What to send, and when to stop reading. */
interface OutgoingRequest {
  readonly method: 'GET' | 'HEAD';
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** The largest content, bytes, encoded and decoded. */
  readonly limitBytes: number;
  /** The longest time for the whole response, milliseconds. */
  readonly limitMs: number;
  /** To stop at the first byte of the content: for what never ends. */
  readonly firstByteOnly?: boolean;
  readonly signal: AbortSignal;
}

/** Sends one request; never rejects: what goes wrong is the exchange's `failure`. */
export type SendRequest = (request: OutgoingRequest) => Promise<Exchange>;

type Agents = Readonly<{ 'http:': HttpAgent; 'https:': HttpsAgent }>;

/**
 * Requests over one kept connection a host, as they go over the wire: no redirect is followed, and nothing is
 * asked for that the caller did not name.
 *
 * @param clock - the present, epoch milliseconds
 * @param hosts - which may be asked
 * @param lookup - of names. @defaultValue that of the system
 */
export function createSendRequest(
  clock: () => number,
  hosts: CheckedHosts,
  lookup?: LookupFunction,
): { readonly send: SendRequest; readonly close: () => void } {
  const looked = hosts === 'public' ? publicLookup(lookup) : lookup;
  const options = { keepAlive: true, maxSockets: 1, ...(looked && { lookup: looked }) };
  const agents = { 'http:': new HttpAgent(options), 'https:': new HttpsAgent(options) };
  const attempt = async (outgoing: OutgoingRequest): Promise<Exchange> => {
    const { method, url, headers, limitBytes } = outgoing;
    const sentMs = clock();
    const forbidden = hosts === 'public' ? forbiddenAddress(url) : undefined;
    const { response, content, failure } = forbidden
      ? { response: undefined, content: Buffer.alloc(0), failure: forbidden }
      : await transfer(outgoing, agents).catch(unsendable);
    const fields = fieldsOf(response);
    const decoded = await decodeContent(content, fields['content-encoding'], limitBytes);
    const problem = failure ?? ('failure' in decoded && outgoing.firstByteOnly !== true ? decoded.failure : undefined);
    return {
      method,
      url,
      sent: headers,
      sentMs,
      status: response?.statusCode ?? 0,
      fields,
      text: 'text' in decoded ? decoded.text : '',
      bytes: content.byteLength,
      ...(problem !== undefined && { failure: problem }),
    };
  };
  return {
    send: async (outgoing) => {
      const first = await attempt(outgoing);
      // A kept connection may have been closed by the server just before it was used.
      return first.failure === STALE_CONNECTION ? await attempt(outgoing) : first;
    },
    close: () => {
      for (const agent of Object.values(agents)) agent.destroy();
    },
  };
}

const STALE_CONNECTION = 'the connection was closed before it was used again';

interface Transfer {
  readonly response: IncomingMessage | undefined;
  /** As it was sent. */
  readonly content: Buffer;
  readonly failure?: string | undefined;
}

function transfer(outgoing: OutgoingRequest, agents: Agents): Promise<Transfer> {
  const { method, url, headers, limitBytes, limitMs, firstByteOnly = false, signal } = outgoing;
  return new Promise((resolve) => {
    let response: IncomingMessage | undefined;
    const chunks: Buffer[] = [];
    let bytes = 0;
    const { protocol } = new URL(url);
    const send = protocol === 'https:' ? httpsRequest : httpRequest;
    const request = send(url, { method, headers, agent: agents[protocol as keyof Agents] });
    const end = (failure?: string) => {
      clearTimeout(timer);
      signal.removeEventListener('abort', interrupt);
      resolve({ response, content: Buffer.concat(chunks), failure });
      // A connection whose response was not read to its end cannot be used again.
      if (failure !== undefined || firstByteOnly) request.destroy();
    };
    const interrupt = () => end('it was interrupted');
    const timer = setTimeout(() => end(`it took longer than ${limitMs / 1000} s`), limitMs);
    signal.addEventListener('abort', interrupt);
    if (signal.aborted) interrupt();
    request.on('error', (error: NodeJS.ErrnoException) => {
      const isStale = request.reusedSocket && response === undefined;
      end(isStale ? STALE_CONNECTION : (error.code ?? error.message));
    });
    request.on('close', () => {
      // As after a switch of protocols, of which nothing else tells.
      if (response === undefined) end('the connection was closed without a response');
    });
    request.on('response', (incoming) => {
      response = incoming;
      incoming.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        bytes += chunk.byteLength;
        if (firstByteOnly) end();
        else if (bytes > limitBytes) end(`it is larger than ${limitBytes} bytes`);
      });
      incoming.on('error', () => end('the connection broke within the content'));
      incoming.on('end', () => end());
    });
    request.end();
  });
}

// Some URLs are read by URL and refused by the request: user names with a broken escape, schemes but those of HTTP.
function unsendable({ message }: Error): Transfer {
  return { response: undefined, content: Buffer.alloc(0), failure: `it cannot be asked for: ${message}` };
}

function fieldsOf(response: IncomingMessage | undefined): Record<string, string> {
  return Object.fromEntries(
    Object.entries(response?.headers ?? {}).map(([name, value]) => [name, [value].flat().join(', ')]),
  );
}
