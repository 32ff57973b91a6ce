import type { ConfigPath, Located } from '../yaml-locator.ts';

/** A mapping as it was written down, before it is known whether it is one. */
export interface MappingText {
  readonly value: unknown;
  /** What it stands in, for messages. */
  readonly file: string;
  /** Where something stands in it; absent where it has no lines, as those that ship. */
  readonly locate?: (path: ConfigPath, at: 'key' | 'value') => Located;
}
