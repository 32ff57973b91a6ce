// As much of it as is used here; it comes without types.
declare module 'express' {
  import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';

  interface Express extends RequestListener {
    get(path: string, handler: (request: IncomingMessage, response: ServerResponse) => void): void;
  }
  // biome-ignore lint/style/noDefaultExport: it is how the module is.
  export default function express(): Express;
}
