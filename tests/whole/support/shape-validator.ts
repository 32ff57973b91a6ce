import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { parseQuads } from '@ldes-live/codec';
import { namedNode } from '@ldes-live/rdf-stream';
import SHACLValidator from 'rdf-validate-shacl';
import type { Quad } from '../../support/read-tree.ts';

const FOLDER = fileURLToPath(new URL('../../../specs/shapes/', import.meta.url));
const SHAPES = 'https://github.com/ldes-live/ldes-live/blob/main/specs/shapes/';

/** A shape of `specs/shapes` without a target: for the IRI of a document of that kind. */
export type DocumentShape =
  | 'ldes.ttl#Root'
  | 'ldes.ttl#RetainingRoot'
  | 'ldes.ttl#LatestView'
  | 'ldes.ttl#InnerNode'
  | 'ldes.ttl#Page'
  | 'ldes.ttl#SealedNode'
  | 'ldes.ttl#MutableNode'
  | 'tree.ttl#RootNode'
  | 'tree.ttl#ReachedNode';

/** IRI of a document, and what it has to be. */
type DocumentAndShapes = readonly [url: string, shapes: readonly DocumentShape[]];

/** Something that a shape found. */
interface ShapeFinding {
  /** Which requirement, and what is wrong. */
  readonly message: string;
  readonly severity: string;
  readonly node: string;
}

/** Validates documents by the shapes of `specs/shapes`. */
export interface ShapeValidator {
  /**
   * What is found in a graph, whatever its severity: by the shapes with targets, and by those named for the IRIs of
   * the documents that it holds.
   */
  findings(quads: readonly Quad[], about?: readonly DocumentAndShapes[]): Promise<ShapeFinding[]>;
}

/** The quads of one file of shapes. */
export function shapeQuads(name: 'tree.ttl' | 'ldes.ttl'): Promise<Quad[]> {
  return parseQuads(readFileSync(`${FOLDER}${name}`, 'utf8'), 'turtle', `${SHAPES}${name}`);
}

export async function shapeValidator(): Promise<ShapeValidator> {
  const shapes = await Promise.all([shapeQuads('tree.ttl'), shapeQuads('ldes.ttl')]);
  const { factory } = new SHACLValidator(new Set() as never);
  const validator = new SHACLValidator(factory.dataset(shapes.flat()));
  return {
    findings: async (quads, about = []) => {
      const data = factory.dataset([...quads]);
      // It begins a report, to which what follows adds.
      let report = await validator.validate(data);
      for (const [url, named] of about) {
        for (const name of named) {
          report = await validator.validateNode(data, namedNode(url), namedNode(`${SHAPES}${name}`));
        }
      }
      return report.results.map(({ message, severity, focusNode }) => ({
        message: message.map(({ value }) => value).join(' '),
        severity: (severity?.value ?? '').replace(/^.*#/, ''),
        node: focusNode?.value ?? '',
      }));
    },
  };
}
