import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { namedNode, parseQuads } from '@ldes-live/rdf-stream';
import SHACLValidator from 'rdf-validate-shacl';
import type { Quad } from '../../support/read-tree.ts';

const FOLDER = fileURLToPath(new URL('../../../specs/shapes/', import.meta.url));
const SHAPES = 'https://github.com/ldes-live/ldes-live/blob/main/specs/shapes/';
const { factory } = new SHACLValidator(new Set() as never);

/** What a shape found: which requirement it names, and the constraint that is not met, such as `MinCount`. */
interface ShapeFinding {
  readonly message: string;
  readonly constraint: string;
}

/**
 * What is found in a graph, whatever its severity: by the shapes with targets, and by those named for the IRIs of the
 * documents that it holds, such as `ldes.ttl#Root`.
 */
type Findings = (
  quads: readonly Quad[],
  about?: readonly (readonly [url: string, shapes: readonly string[]])[],
) => Promise<ShapeFinding[]>;

/** The quads of `specs/shapes` about documents. */
export async function shapeQuads(): Promise<Quad[]> {
  const read = (name: string) => parseQuads(readFileSync(`${FOLDER}${name}`, 'utf8'), 'turtle', `${SHAPES}${name}`);
  return (await Promise.all(['tree.ttl', 'ldes.ttl'].map(read))).flat();
}

/** Validates by shapes, by default by those of `specs/shapes` about documents. */
export async function shapeValidator(shapes?: readonly Quad[]): Promise<Findings> {
  const validator = new SHACLValidator(factory.dataset([...(shapes ?? (await shapeQuads()))]));
  return async (quads, about = []) => {
    const data = factory.dataset([...quads]);
    // It begins a report, to which what follows adds.
    let report = await validator.validate(data);
    for (const [url, named] of about) {
      for (const name of named) report = await validator.validateNode(data, namedNode(url), namedNode(SHAPES + name));
    }
    return report.results.map(({ message, sourceConstraintComponent: component }) => ({
      message: message.map(({ value }) => value).join(' '),
      constraint: /#(\w+)ConstraintComponent$/.exec(component?.value ?? '')?.[1] ?? '',
    }));
  };
}
