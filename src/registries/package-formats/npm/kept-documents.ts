import { Kept } from '#platform/kept.ts'

/** Characters of all documents together. */
const MOST = 16 * 1024 * 1024

/** The documents of packages that clients asked for lately, by their entity tags. */
export type KeptDocuments = Kept<string>

export const keptDocuments = (): KeptDocuments =>
  new Kept<string>({ most: MOST, sizeOf: ({ length }) => length })

/** Passes a document on in its pieces, and keeps it once it is complete. */
export async function* keepComplete(
  kept: KeptDocuments,
  key: string,
  pieces: AsyncIterable<string>,
): AsyncGenerator<string> {
  let whole = ''
  for await (const piece of pieces) {
    if (whole.length <= kept.mostOfOne) whole += piece
    yield piece
  }
  kept.keep(key, whole)
}
