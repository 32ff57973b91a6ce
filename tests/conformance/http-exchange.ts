import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { connect } from 'node:net';
import { connect as tlsConnect } from 'node:tls';

/** An answer as it came, nothing followed and nothing decoded. */
export interface Answer {
  readonly status: number;
  /** By lower-case name; several of one name are joined by a comma and a space. */
  readonly headers: Readonly<Record<string, string>>;
  readonly content: Buffer;
}

// A push stream that says nothing of what is waited for may be read for so long, milliseconds.
const STREAM_MS = 5000;

/**
 * Sends a request without fields of its own making, such as `fetch` adds.
 *
 * @param isEnough - of an event stream: whether what has come of it will do; its first chunk when absent
 */
export async function exchange(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  isEnough: (answer: Answer) => boolean = () => true,
): Promise<Answer> {
  const { protocol, hostname, port, origin } = new URL(url);
  // The rest as it stands, since a URL object would repair what is malformed on purpose.
  const path = url.slice(origin.length) || '/';
  const send = protocol === 'https:' ? httpsRequest : httpRequest;
  const request = send({ protocol, hostname, port, path, method, headers, agent: false });
  request.end();
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  const isStream = method !== 'HEAD' && /^text\/event-stream/.test(response.headers['content-type'] ?? '');
  const chunks: Buffer[] = [];
  const soFar = () => ({
    status: response.statusCode ?? 0,
    headers: fieldsOf(response),
    content: Buffer.concat(chunks),
  });
  const limit = isStream ? setTimeout(() => response.destroy(), STREAM_MS) : undefined;
  try {
    for await (const chunk of response) {
      chunks.push(chunk as Buffer);
      if (isStream && isEnough(soFar())) break;
    }
  } catch (error) {
    if (!isStream) throw error;
  }
  clearTimeout(limit);
  request.destroy();
  return soFar();
}

/** Sends bytes that need not be HTTP, and reads what comes until the connection ends. */
export async function exchangeRaw(url: string, text: string): Promise<Answer> {
  const { protocol, hostname, port } = new URL(url);
  const isSecure = protocol === 'https:';
  const at = { host: hostname, port: Number(port || (isSecure ? 443 : 80)) };
  const socket = isSecure ? tlsConnect({ ...at, servername: hostname }) : connect(at);
  await once(socket, isSecure ? 'secureConnect' : 'connect');
  socket.write(text);
  const chunks: Buffer[] = [];
  for await (const chunk of socket) chunks.push(chunk as Buffer);
  const [head = '', ...rest] = Buffer.concat(chunks).toString('latin1').split('\r\n\r\n');
  const [line = '', ...fields] = head.split('\r\n');
  const headers = fields.map((field) => field.split(/:\s*/, 1).concat(field.replace(/^[^:]*:\s*/, '')));
  return {
    status: Number(line.split(' ')[1] ?? 0),
    headers: Object.fromEntries(headers.map(([name = '', value = '']) => [name.toLowerCase(), value])),
    content: Buffer.from(rest.join('\r\n\r\n'), 'latin1'),
  };
}

function fieldsOf(response: IncomingMessage): Record<string, string> {
  const fields = Object.entries(response.headersDistinct);
  return Object.fromEntries(fields.map(([name, values = []]) => [name, values.join(', ')]));
}
