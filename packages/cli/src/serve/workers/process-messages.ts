import type { ToOwner, ToWorker } from '@ldes-live/server';

/** What a worker is told to serve. */
export interface WorkerOrder {
  /** Where the owner answers what is not push. */
  readonly ownerUrl: string;
  readonly host: string;
  readonly port: number;
  /** Tells it from the other processes of the server. */
  readonly name: string;
}

/** What the process that has the logs sends to a worker. */
export type MessageToWorker =
  | { readonly kind: 'serve'; readonly order: WorkerOrder }
  | { readonly kind: 'push'; readonly message: ToWorker };

/** What a worker sends to the process that has the logs. */
export type MessageToOwner =
  | { readonly kind: 'ready' }
  | { readonly kind: 'listening' }
  /** It cannot listen, or not work at all. */
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'push'; readonly message: ToOwner };
