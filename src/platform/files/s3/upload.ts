import { StoreUnavailable } from '../errors.ts'
import { type S3Client, S3Refusal, unlessMissing } from './client.ts'

/** All parts but the last have one size, which some servers require. Ten thousand of them are 80 GB. */
const PART = 8 * 1024 * 1024

/**
 * Uploads content whose size is not known beforehand: in one request when it is small, else in parts. When it fails
 * halfway, it aborts the parts.
 * @returns the number of bytes.
 */
export async function upload(
  client: S3Client,
  key: string,
  content: AsyncIterable<Uint8Array>,
): Promise<number> {
  const parts = inParts(content)[Symbol.asyncIterator]()
  const first = await parts.next()
  const body = first.done ? new Uint8Array() : first.value
  if (body.length < PART) {
    await client.text({ method: 'PUT', key, body })
    return body.length
  }
  const opened = await client.text({ method: 'POST', key, query: { uploads: '' } })
  const uploadId = /<UploadId>([^<]+)<\/UploadId>/.exec(opened)?.[1]
  if (uploadId === undefined) throw new StoreUnavailable(new Error('S3 opened an upload without an id'))
  try {
    const tags: string[] = []
    let size = 0
    for (let part: typeof body | undefined = body; part !== undefined;) {
      const query = { partNumber: String(tags.length + 1), uploadId }
      const answer = await client.request({ method: 'PUT', key, query, body: part })
      await answer.body?.cancel()
      tags.push(answer.headers.get('etag') ?? '')
      size += part.length
      const next = await parts.next()
      part = next.done ? undefined : next.value
    }
    await complete(client, key, uploadId, tags)
    // If the answer to the first attempt was lost, a second upload was opened.
    await abortUploads(client, key)
    return size
  } catch (error) {
    // If this fails as well, abortUploads finds the upload when the leftover is removed.
    await client.text({ method: 'DELETE', key, query: { uploadId } }).catch(() => {})
    await parts.return?.(undefined)
    throw error
  }
}

async function complete(client: S3Client, key: string, uploadId: string, tags: readonly string[]) {
  const parts = tags.map(
    (tag, index) => `<Part><PartNumber>${index + 1}</PartNumber><ETag>${tag}</ETag></Part>`,
  )
  const xml = `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`
  const body = new TextEncoder().encode(xml)
  const answer = await unlessMissing(client.text({ method: 'POST', key, query: { uploadId }, body }))
  // No such upload: an earlier attempt succeeded although its answer was lost. The store checks the object next.
  if (answer === undefined) return
  // Some failures have status 200, because the server began to answer before it knew.
  if (!answer.includes('CompleteMultipartUploadResult')) {
    throw new StoreUnavailable(new Error(`S3 did not put the parts together: ${answer.slice(0, 500)}`))
  }
}

/** Aborts the uploads in parts that a killed process began under a key. */
export async function abortUploads(client: S3Client, key: string): Promise<void> {
  let found: string
  try {
    found = await client.text({ method: 'GET', key: '', query: { uploads: '', prefix: key } })
  } catch (error) {
    // Some servers cannot list uploads. They remove old ones by themselves.
    if (error instanceof S3Refusal && [400, 404, 405, 501].includes(error.status)) return
    throw error
  }
  for (const [, uploadId = ''] of found.matchAll(/<UploadId>([^<]+)<\/UploadId>/g)) {
    await unlessMissing(client.text({ method: 'DELETE', key, query: { uploadId } }))
  }
}

/** Joins chunks into parts. Each part but the last has the full size. */
async function* inParts(content: AsyncIterable<Uint8Array>) {
  let chunks: Uint8Array[] = []
  let size = 0
  const joined = () => {
    const part = new Uint8Array(size)
    let at = 0
    for (const chunk of chunks) {
      part.set(chunk, at)
      at += chunk.length
    }
    chunks = []
    size = 0
    return part
  }
  for await (const chunk of content) {
    for (let at = 0; at < chunk.length;) {
      const piece = chunk.subarray(at, at + PART - size)
      chunks.push(piece)
      size += piece.length
      at += piece.length
      if (size === PART) yield joined()
    }
  }
  if (size > 0) yield joined()
}
