/** The step in which a text of several pieces grows, so that it is rarely moved. */
const STEP = 1024 * 1024

/**
 * Gathers pieces in separate pages, which go back to the system as soon as the text is read. Single pieces would lie
 * between the allocations of other requests, and the process would stay as large as its largest moment.
 * @param most bytes that the pieces have together
 */
export async function gatherText(pieces: AsyncIterable<Buffer>, most: number): Promise<string> {
  let text: Buffer | undefined
  let pages: ArrayBuffer | undefined
  for await (const piece of pieces) {
    if (text === undefined) {
      text = piece
      continue
    }
    const length = text.length + piece.length
    if (pages === undefined) {
      pages = new ArrayBuffer(Math.min(most, length + STEP), { maxByteLength: most })
      text.copy(Buffer.from(pages))
    } else if (length > pages.byteLength) {
      pages.resize(Math.min(most, length + STEP))
    }
    piece.copy(Buffer.from(pages), text.length)
    text = Buffer.from(pages, 0, length)
  }
  return text?.toString('utf8') ?? ''
}
