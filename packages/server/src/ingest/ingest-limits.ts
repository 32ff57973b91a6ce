/** Characters of an IRI: prefixes would else make much of little. */
export const LIMIT_IRI_CHARACTERS = 4096;
