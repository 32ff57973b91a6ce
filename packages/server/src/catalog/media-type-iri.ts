/** IRI of a media type in the registry of IANA. */
export function mediaTypeIri(mediaType: string): string {
  return `https://www.iana.org/assignments/media-types/${mediaType}`;
}
