import { LATEST_RETENTION } from '@ldes-live/rdf-stream';
import { streamUrls } from '../documents/stream-urls.ts';
import { PLACE_ROOT, type PlaceNode, tileDocument } from '../documents/tile-document.ts';
import { PlaceIndex } from '../places/place-index.ts';
import { readTile } from '../places/tile.ts';
import type { Found, ViewMaker } from './view.ts';

/** The latest state by place: a tree of map tiles. @see specs/documents.md DOC-31 */
export const placeView: ViewMaker = (stream) => {
  const index = new PlaceIndex(stream.log);
  const { tiles } = streamUrls(stream.description);
  const found = (node: PlaceNode): Found => ({
    kind: 'document',
    document: tileDocument(stream, index, node),
    counted: 'tile',
  });
  return {
    path: 'tiles',
    entry: { url: tiles, title: 'Latest state by place', retention: LATEST_RETENTION },
    find: (rest) => {
      const node = rest === '' ? PLACE_ROOT : rest === 'elsewhere' ? rest : readTile(rest);
      if (!node) return undefined;
      // The earth is the root of the view, which has one URL.
      if (rest !== '' && node !== 'elsewhere' && node.zoom === 0) return { kind: 'redirect', url: tiles };
      return index.isReady ? found(node) : index.ready().then(() => found(node));
    },
    close: () => index.close(),
  };
};
