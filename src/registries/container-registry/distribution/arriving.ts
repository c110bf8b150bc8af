import { RegistryError } from '../../oci/errors.ts'

/** The bytes of a body. Where it breaks off, they end, so that what came is kept. */
export async function* arriving(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let came = 0
  try {
    for await (const bytes of body) {
      came += bytes.length
      yield bytes
    }
  } catch (error) {
    if (came === 0) throw error
  }
}

/** Where a piece begins, as `Content-Range` says: `0-99`. @throws 400 for what is no range */
export function readContentRange(header: string | undefined): number | undefined {
  if (header === undefined) return undefined
  const [, from, to] = /^(?:bytes[ =])?(\d{1,15})-(\d{1,15})(?:\/(?:\d+|\*))?$/.exec(header) ?? []
  if (from === undefined || Number(to) < Number(from))
    throw new RegistryError(400, 'BLOB_UPLOAD_INVALID', 'the Content-Range is not a range of bytes')
  return Number(from)
}
