import { decoderOf, isTooLong, UnknownCoding } from '#platform/http/content-codings.ts'
import { HttpError } from '#platform/http/errors.ts'
import { refusal, TooLarge } from '#platform/refusals.ts'
import { MAX_PAYLOAD } from './parameters.ts'

/**
 * A payload as it was before its sender compressed it.
 * @param coding the header `Content-Encoding`
 * @throws 400 for what cannot be decompressed, 413 for what becomes too large, 415 for codings that are not known
 */
export async function decompress(body: Buffer, coding: string | undefined): Promise<Buffer> {
  try {
    return (await decoderOf(body, coding)?.all(body, { maxOutputLength: MAX_PAYLOAD })) ?? body
  } catch (error) {
    if (error instanceof UnknownCoding)
      throw new HttpError(415, {
        message: `415 Unsupported Media Type - the content encoding ${error.message} is not known`,
      })
    if (isTooLong(error)) throw new TooLarge()
    throw refusal('400 Bad request - the body cannot be decompressed')
  }
}
