import type { IncomingHttpHeaders } from 'node:http';
import { type Variant, variantOf } from '../documents/document.ts';
import { negotiateEncoding } from './negotiate-encoding.ts';
import { negotiateFormat } from './negotiate-format.ts';
import { remembered } from './remembered.ts';

const formatFor = remembered(negotiateFormat);
const encodingFor = remembered(negotiateEncoding);

/**
 * The format and content coding that suit a request best.
 *
 * @throws {@link StreamError} `ERR_FORMAT_UNACCEPTABLE`, `ERR_ENCODING_UNACCEPTABLE`
 */
export function negotiateVariant(headers: IncomingHttpHeaders): Variant {
  return variantOf(formatFor(headers.accept), encodingFor(headers['accept-encoding']));
}
