// As much of it as is used here; it comes without types.
declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  interface Request extends IncomingMessage {
    readonly params: Readonly<Record<string, string>>;
    readonly query: Readonly<Record<string, unknown>>;
  }
  interface Response extends ServerResponse {
    set(field: string, value: string): void;
    json(value: unknown): void;
    status(code: number): this;
  }
  interface Express extends RequestListener {
    get(path: string, handler: (request: Request, response: Response) => void): void;
    post(path: string, handler: (request: Request, response: Response) => void): void;
  }
  // biome-ignore lint/style/noDefaultExport: it is how the module is.
  export default function express(): Express;
}
