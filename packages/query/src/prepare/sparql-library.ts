import type { Operation } from './algebra.ts';

/** What reads SPARQL, as Comunica does. */
export interface SparqlLibrary {
  /** @throws {@link ParseProblem} or an Error without a place, RangeError when it is nested too deeply */
  parse(text: string): SyntaxTree;
  /** The algebra of a query: `quads` puts the graph into each pattern, as Comunica wants it; otherwise GRAPH is an operation. */
  algebraOf(tree: SyntaxTree, quads: boolean): Operation;
}

/** A syntax tree, opaque but for this. */
interface SyntaxTree {
  readonly type: 'query' | 'update';
  /** Declarations of the prologue. */
  readonly context?: readonly { readonly subType: string }[];
}

/** Where a parser stumbled. */
export class ParseProblem extends Error {
  /** The token that cannot stand there; empty at the end of the text. */
  readonly found: string;
  /** Where it begins; `undefined` at the end of the text. */
  readonly offset: number | undefined;

  constructor(message: string, found: string, offset: number | undefined) {
    super(message);
    this.found = found;
    this.offset = offset;
  }
}

interface Recognition {
  readonly message: string;
  readonly token: { readonly image: string; readonly startOffset: number };
}

let library: Promise<SparqlLibrary> | undefined;

/** Loads the parser, once: it is too large to come along with those who never ask. */
export function loadSparqlLibrary(): Promise<SparqlLibrary> {
  library ??= load().catch((error: unknown) => {
    library = undefined;
    throw error;
  });
  return library;
}

async function load(): Promise<SparqlLibrary> {
  const [{ Parser }, { toAlgebra }] = await Promise.all([
    import('@traqula/parser-sparql-1-2'),
    import('@traqula/algebra-sparql-1-2'),
  ]);
  const options = {
    lexerConfig: { positionTracking: 'full' as const },
    errorHandler: ([first]: readonly Recognition[]): void => {
      if (!first) return;
      const { image, startOffset } = first.token;
      throw new ParseProblem(first.message, image, Number.isNaN(startOffset) ? undefined : startOffset);
    },
  };
  const parser = new Parser(options);
  return {
    parse: (text) => parser.parse(text) as SyntaxTree,
    algebraOf: (tree, quads) =>
      toAlgebra(tree as Parameters<typeof toAlgebra>[0], { quads, blankToVariable: true }) as unknown as Operation,
  };
}
