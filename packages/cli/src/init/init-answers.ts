import type { SourceKind } from '../command-line/init-command.ts';

/** All that a configuration is written from. */
export interface InitAnswers {
  readonly source: SourceKind;
  /** Where the data is; absent where it arrives by POST. */
  readonly url?: string;
  readonly stream: string;
  readonly publicUrl: string;
  /** How often to poll; absent where nothing is polled, or the data says it. */
  readonly every?: string;
  /** A mapping that ships; else `mappingFile`, or neither where none is needed. */
  readonly preset?: string;
  /** The mapping that is written beside the configuration. */
  readonly mappingFile?: string;
  /** The other documents that the mapping takes values from, by the names that it has for them. */
  readonly lookups: readonly string[];
  /** Which feed of a GBFS system. */
  readonly gbfsFeed?: string;
  /** Filters of MQTT. */
  readonly topics: readonly string[];
  /** The hash of the token that may post. */
  readonly tokenHash?: string;
}
