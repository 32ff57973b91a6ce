/** How many nodes of a large document are read before others get their turn. */
const NODES_AT_A_TIME = 100;

/** Some of the nodes at the top of a JSON-LD document. */
export interface DocumentPart {
  readonly items: readonly unknown[];
  /** Of the first of them: 1 for the first of the document. */
  readonly number: number;
  /** The context that they share; absent where each has its own. */
  readonly context?: unknown;
  /** The document that has just these. */
  readonly documentOf: (items: readonly unknown[]) => object;
}

/** A JSON-LD document in parts of not so many nodes each, where it has one node after the other. */
export function* documentParts(json: object): Iterable<DocumentPart> {
  if (Array.isArray(json)) {
    yield* slicesOf(json, (items) => items);
    return;
  }
  const { '@graph': graph, '@context': context, ...others } = json as Record<string, unknown>;
  if (!Array.isArray(graph) || Object.keys(others).length > 0) {
    yield { items: [json], number: 1, documentOf: () => json };
    return;
  }
  const shared = context === undefined ? {} : { '@context': context };
  yield* slicesOf(graph, (items) => ({ ...shared, '@graph': items }), context);
}

function* slicesOf(
  items: readonly unknown[],
  documentOf: DocumentPart['documentOf'],
  context?: unknown,
): Iterable<DocumentPart> {
  for (let from = 0; from < items.length; from += NODES_AT_A_TIME) {
    yield { items: items.slice(from, from + NODES_AT_A_TIME), number: from + 1, context, documentOf };
  }
}

/** Some of the nodes of a part: from one on, to before another. */
export function sliceOf(part: DocumentPart, from: number, to: number): DocumentPart {
  return { ...part, items: part.items.slice(from, to), number: part.number + from };
}

/** The first half of the nodes of a part, and the second. */
export function halvesOf(part: DocumentPart): readonly [DocumentPart, DocumentPart] {
  const middle = part.items.length >> 1;
  return [sliceOf(part, 0, middle), sliceOf(part, middle, part.items.length)];
}
