import type { Representation } from './representation.ts';
import type { DocumentState } from './stream-document.ts';

/** What is kept of a document in one state. */
export class KeptDocument {
  readonly url: string;
  readonly version: string;
  /** What it is superseded with. */
  readonly family: string | undefined;
  /** By index of the variant; `ready` once it is made. */
  readonly entries: ({ readonly made: Promise<Representation>; readonly ready?: Representation } | undefined)[] = [];
  /** What it counts in all. */
  bytes = 0;

  constructor(url: string, { version, family }: Pick<DocumentState, 'version' | 'family'>) {
    this.url = url;
    this.version = version;
    this.family = family;
  }
}
