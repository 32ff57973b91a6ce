import { defineErrors } from './define-errors.ts';

/** The errors of this package. */
export const errors = defineErrors({
  ERR_CURSOR_MALFORMED: ({ value }: { value: string }) =>
    `"${value}" is not a cursor: give <epoch>-<sequence> as the server printed it, such as "k3x9a-42".`,
  ERR_DRAFT_REPEATED: ({ entity }: { entity: string }) =>
    `The commit has two drafts of ${entity}: a commit holds one version of an entity, so append them one after the other.`,
  ERR_VERSION_REPEATED: ({ version }: { version: string }) =>
    `The commit has two drafts of the version ${version}: a version is published once, so leave one out, or give it another IRI.`,
});
