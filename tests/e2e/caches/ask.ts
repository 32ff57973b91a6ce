import { type Agent, type IncomingHttpHeaders, request } from 'node:http';

/** A response as it came: nothing decoded, followed or kept. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  /** When the header had arrived, epoch milliseconds. */
  readonly atMs: number;
}

/** Asks once over HTTP/1.1, and reads the whole answer. */
export function ask(
  url: string,
  options: { method?: string; headers?: Readonly<Record<string, string>>; agent?: Agent | false; body?: string } = {},
): Promise<Answer> {
  const { body, ...rest } = options;
  return new Promise((resolve, reject) => {
    const asked = request(url, rest, (response) => {
      const atMs = Date.now();
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('error', reject);
      response.on('end', () => {
        resolve({
          status: response.statusCode as number,
          headers: response.headers,
          body: Buffer.concat(chunks),
          atMs,
        });
      });
    });
    asked.on('error', reject);
    asked.end(body);
  });
}
