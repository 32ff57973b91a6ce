import { findLink, linkReferences } from '@ldes-live/rdf-stream';
import { errors } from '../errors.ts';
import type { DocumentLimits } from '../formats/document-limits.ts';
import { readDocument } from '../formats/read-document.ts';
import type { Paging } from '../get-pages.ts';
import type { DocumentReading } from '../mapping/mapping.ts';
import { PathMistake, type PathStep, parsePath } from '../mapping/paths.ts';
import type { HttpSourcePages } from './http-source-options.ts';

/**
 * Makes what finds the URL of the next page: in the `Link` field, or by a path in the document. An absent value, null
 * and the empty text say that there is none.
 *
 * @throws {@link StreamError} `ERR_SOURCE_OPTION` - no path, or one that does not lead from the root to one value
 * @see specs/sources.md SRC-5
 */
export function pageLinks(
  pages: HttpSourcePages,
  reading: DocumentReading,
  limits: Partial<DocumentLimits>,
): Paging['next'] {
  if (pages === 'link')
    return ({ link }) => (link === undefined ? undefined : findLink(linkReferences(link), 'next')?.reference);
  const steps = stepsOf(pages.next);
  return ({ bytes }) => {
    const found = steps.reduce(stepInto, readDocument(bytes, reading, limits));
    if (found === undefined || found === null || found === '') return undefined;
    // What is no text is no URL either, and is refused as such.
    return typeof found === 'string' ? found : NO_URL;
  };
}

const NO_URL = 'http://';

function stepsOf(path: string): readonly PathStep[] {
  try {
    const { start, steps, ofKey } = parsePath(path);
    const isFromRoot = start.from === 'record' || start.from === 'root';
    if (isFromRoot && !ofKey && !steps.includes('each')) return steps;
  } catch (thrown) {
    if (!(thrown instanceof PathMistake)) throw thrown;
  }
  const expected = 'a path from the root of the document to one value, such as next or ["@iot.nextLink"]';
  throw errors.ERR_SOURCE_OPTION({ option: 'pages.next', value: `"${path}"`, expected });
}

function stepInto(value: unknown, step: PathStep): unknown {
  if (typeof value !== 'object' || value === null || step === 'each') return undefined;
  if ('item' in step) return Array.isArray(value) ? value[step.item] : undefined;
  return Object.hasOwn(value, step.field) ? (value as Record<string, unknown>)[step.field] : undefined;
}
