// As much of it as is used here; it comes without types.
declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  interface Response extends ServerResponse {
    set(field: string, value: string): void;
    json(value: unknown): void;
  }

  interface Request extends IncomingMessage {
    readonly params: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, unknown>>;
  }
  interface Response extends ServerResponse {
    json(body: object): void;
    status(code: number): this;
  }
  type Handler = (request: Request, response: Response) => void;
  interface Express extends RequestListener {
    get(path: string, handler: Handler): void;
    post(path: string, handler: Handler): void;
  }
  // biome-ignore lint/style/noDefaultExport: it is how the module is.
  export default function express(): Express;
}
