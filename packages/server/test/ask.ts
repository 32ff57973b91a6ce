import { request } from 'node:http';

/** An answer, its content as text where it is not compressed. */
export interface Answer {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Asks as it is written: no library's idea of a URL in between. */
export function ask(
  port: number,
  path: string,
  { method = 'GET', ...headers }: Record<string, string>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ port, host: '127.0.0.1', path, method, headers, agent: false }, async (response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      const { 'keep-alive': _, ...fields } = response.headers;
      const encoding = fields['content-encoding'] ? 'base64' : 'utf8';
      resolve({ status: response.statusCode, headers: fields, body: Buffer.concat(chunks).toString(encoding) });
    });
    asked.on('error', reject);
    asked.end();
  });
}
