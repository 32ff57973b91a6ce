import { readFile } from 'node:fs/promises';
import { extname } from 'node:path';
import { type Format, isStreamError, parseQuads, rdf, sh } from '@ldes-live/rdf-stream';
import type { ContentShape } from '@ldes-live/server';
import type { Quad } from '@rdfjs/types';

const FORMATS: Readonly<Record<string, Format>> = {
  '.ttl': 'turtle',
  '.trig': 'trig',
  '.nt': 'ntriples',
  '.nq': 'nquads',
  '.jsonld': 'jsonld',
  '.json': 'jsonld',
};

/** A shape, or what keeps it from being one. */
export type ShapeReading = { readonly shape: ContentShape; readonly text: string } | { readonly problem: string };

/**
 * Reads the SHACL shape of what the members of a stream say.
 *
 * @param file - its path; the ending of its name says the format
 * @param baseIri - what relative IRIs in it are resolved against: the URL that it is published at
 */
export async function readShape(file: string, baseIri: string): Promise<ShapeReading> {
  const format = FORMATS[extname(file).toLowerCase()];
  if (format === undefined) {
    return { problem: `${file}: its name has to end in one of ${Object.keys(FORMATS).join(', ')}` };
  }
  try {
    const text = await readFile(file, 'utf8');
    return shapeOf(await parseQuads(text, format, baseIri), text, file);
  } catch (error) {
    const reason = isStreamError(error) ? error.message : (error as NodeJS.ErrnoException).code;
    return { problem: `${file}: it cannot be read (${reason ?? String(error)})` };
  }
}

/** The shape of members is the one that no other refers to. */
function shapeOf(quads: readonly Quad[], text: string, file: string): ShapeReading {
  const named = quads
    .filter(({ predicate, object }) => predicate.value === rdf.type && object.value === sh.NodeShape)
    .filter(({ subject }) => subject.termType === 'NamedNode')
    .map(({ subject }) => subject.value);
  const referred = new Set(
    quads.filter(({ object }) => object.termType === 'NamedNode').map(({ object }) => object.value),
  );
  const [iri, ...others] = [...new Set(named)].filter((candidate) => !referred.has(candidate));
  if (iri !== undefined && others.length === 0) return { shape: { iri, quads }, text };
  const found = iri === undefined ? 'none' : `${1 + others.length}`;
  return {
    problem: `${file}: found ${found}, expected one sh:NodeShape with an IRI that no other refers to; sh:or makes one of several`,
  };
}
