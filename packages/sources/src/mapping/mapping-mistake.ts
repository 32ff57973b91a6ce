/** Where something stands in a mapping: names of keys and positions in lists. */
export type MappingPath = readonly (string | number)[];

/** What is wrong with a mapping, and where. */
export interface MappingMistake {
  readonly path: MappingPath;
  readonly message: string;
  /** The line of the file, 1 for the first, where that is known. */
  readonly line?: number;
}

/** A place in a mapping as people read it, such as `properties[3].path`. */
export function mappingPathText(path: MappingPath): string {
  return path
    .map((part, index) => (typeof part === 'number' ? `[${part}]` : `${index > 0 ? '.' : ''}${part}`))
    .join('');
}

/** A mistake as people read it. */
export function mistakeText({ path, message, line }: MappingMistake): string {
  const place = path.length === 0 ? 'the mapping' : mappingPathText(path);
  return `${line === undefined ? place : `line ${line}, ${place}`}: ${message}`;
}
