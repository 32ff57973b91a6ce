import { defineErrors } from '@ldes-live/rdf-stream/errors';

/** The errors of this package, which `specs/errors.md` has too. */
export const errors = defineErrors({
  ERR_WEB_NOT_BUILT: ({ folder, reason }: { folder: string; reason: string }) =>
    `The web pages are not built: ${folder} ${reason}. Run npm run build, or serve without the pages (--no-web, or web: false).`,
  ERR_WEB_STYLE: ({ style }: { style: string }) =>
    `"${style}" is not the URL of a map style. Give an absolute http or https URL, or a path on this server that begins with "/".`,
});
