declare module 'rdf-canonize' {
  import type { Quad } from '@rdfjs/types';

  export function canonize(
    dataset: readonly Quad[],
    options: { readonly algorithm: 'RDFC-1.0'; readonly maxDeepIterations?: number },
  ): Promise<string>;
}
