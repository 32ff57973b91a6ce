import type { Representation } from './representation.ts';

/** What is kept of a document in one state. */
export class KeptDocument {
  readonly url: string;
  readonly version: string;
  /** By index of the variant; `ready` once it is made. */
  readonly entries: ({ readonly made: Promise<Representation>; readonly ready?: Representation } | undefined)[] = [];
  /** What it counts in all. */
  bytes = 0;

  constructor(url: string, version: string) {
    this.url = url;
    this.version = version;
  }
}
