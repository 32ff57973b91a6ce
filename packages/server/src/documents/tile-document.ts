import { formatCursor, tileQuads } from '@ldes-live/rdf-stream';
import type { PlaceIndex } from '../places/place-index.ts';
import { type Tile, tilePath, WORLD } from '../places/tile.ts';
import { tileArea } from '../places/tile-area.ts';
import type { WrittenStream } from './member-texts.ts';
import type { StreamDocument } from './stream-document.ts';
import { streamUrls } from './stream-urls.ts';

/** A node of the place view: a tile, or what is in none. */
export type PlaceNode = Tile | 'elsewhere';

/**
 * A node of the place view: the newest versions of the living entities in a tile or, where they are more than 250, the
 * way to smaller tiles.
 *
 * @param index - ready, of the stream's log
 * @see specs/documents.md DOC-31
 */
export function tileDocument(
  { description, log, texts }: WrittenStream,
  index: PlaceIndex,
  node: PlaceNode,
): StreamDocument {
  const { tiles } = streamUrls(description);
  const isRoot = node !== 'elsewhere' && node.zoom === 0;
  const url = isRoot ? tiles : node === 'elsewhere' ? `${tiles}/elsewhere` : `${tiles}/${tilePath(node)}`;
  return {
    url,
    state: () => {
      const { cursor } = log.head;
      return { version: formatCursor(cursor), cursor, caching: 'scheduled', profile: true };
    },
    build: async (format) => {
      const { timeMs } = log.head;
      const content = node === 'elsewhere' ? undefined : index.look(node);
      const entities =
        content === undefined ? [...index.elsewhere] : content.kind === 'entities' ? content.entities : [];
      const links = content?.kind === 'tiles' ? content.tiles.map(linkTo) : [];
      if (isRoot && index.elsewhere.size > 0) links.push({ url: `${tiles}/elsewhere` });
      const quads = tileQuads(description, { url, isRoot, links });
      const sequences = entities
        .flatMap((entity) => log.latest.get(entity)?.sequence ?? [])
        .sort((left, right) => left - right);
      const lastModifiedMs = timeMs;
      const read = (wanted: readonly number[]) => log.readMembers(wanted);
      if (format === 'jsonld') return { quads, joined: await texts.join(sequences, read, quads), lastModifiedMs };
      return { quads, members: { description, list: await read(sequences) }, lastModifiedMs };
    },
  };

  function linkTo(tile: Tile): { url: string; area?: string } {
    return { url: `${tiles}/${tilePath(tile)}`, area: tileArea(tile) };
  }
}

/** The root of the place view. */
export const PLACE_ROOT: PlaceNode = WORLD;
