import { Busboy } from '@fastify/busboy'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { badRequest } from '#platform/refusals.ts'

/** A multipart body with one file that is kept, and texts that say what it is. */
export interface MultipartBody {
  readonly stream: Readable
  readonly contentType: string | undefined
  /** Counts the bytes of texts in the memory of all requests. */
  readonly claim: (bytes: number) => void
}

interface Expected<Stored> {
  /** The part with the file. Other files are passed over. */
  readonly part: string
  /** The largest number of texts. */
  readonly fields: number
  /** What becomes of the file while it comes. */
  readonly store: (content: Readable, filename: string) => Promise<Stored>
}

interface Received<Stored> {
  readonly stored: Stored
  readonly filename: string
  /** The last text under each name, of which only the beginning is kept where it is long. */
  readonly fields: Readonly<Record<string, string>>
}

const MOST_FILES = 3
const FIELD_BYTES = 4_096
/** Bytes of a body besides its file: texts, other files, and what is before and behind all parts. */
const MOST_BESIDES = 16 * 1024 * 1024

/**
 * Streams the one file of a multipart body to where it is kept. What says what it is may come behind the bytes. No more of the body is in
 * memory than its texts.
 * @throws 400 for a body that cannot be read or lacks the file, and what `store` throws
 */
export async function receiveMultipart<Stored>(
  { stream: body, contentType, claim }: MultipartBody,
  { part, fields: mostFields, store }: Expected<Stored>,
): Promise<Received<Stored>> {
  if (contentType === undefined || !/^multipart\/form-data\s*;.*boundary="?[^"\s;]/i.test(contentType))
    throw badRequest(`the body should be multipart/form-data with the part ${part}`)
  const limits = {
    files: MOST_FILES,
    fields: mostFields,
    fieldSize: FIELD_BYTES,
    parts: mostFields + MOST_FILES,
    headerPairs: 20,
  }
  const reader = new Busboy({ headers: { 'content-type': contentType }, limits })
  const fields = new Map<string, string>()
  let storing: Promise<Stored> | undefined
  let kept = ''
  let wanted: { readonly bytesRead: number } | undefined
  let came = 0
  const open: Readable[] = []
  // What follows from the first cause is no cause. The sender may still be about to send: nobody waits for that.
  const { promise: stopped, reject: stop } = Promise.withResolvers<never>()
  stopped.catch(() => {})
  body.on('error', stop)
  body.on('data', ({ length }: Buffer) => {
    came += length
    if (came - (wanted?.bytesRead ?? 0) > MOST_BESIDES) stop(badRequest('the body has too large parts'))
  })
  reader.on('error', () => stop(unreadable()))
  reader.on('field', (name, value) => {
    if (typeof value !== 'string') return
    try {
      claim(Buffer.byteLength(name) + Buffer.byteLength(value))
      fields.set(name, value)
    } catch (error) {
      stop(error)
    }
  })
  reader.on('file', (name, file, filename) => {
    open.push(file)
    // Whatever it is, it follows from something else.
    file.on('error', () => {})
    if (name !== part || storing !== undefined) {
      if (name === part) stop(badRequest('there is more than one file'))
      file.resume()
      return
    }
    wanted = file
    kept = lastPartOf(filename)
    storing = store(file, kept)
    storing.catch(stop)
  })
  for (const limit of ['filesLimit', 'fieldsLimit', 'partsLimit'] as const)
    reader.on(limit, () => stop(badRequest('the body has too many parts')))
  const read = pipeline(body, reader)
  read.catch(() => stop(unreadable()))
  try {
    await Promise.race([stopped, read])
    if (storing === undefined) throw badRequest(`${part} is missing`)
    return {
      stored: await Promise.race([stopped, storing]),
      filename: kept,
      fields: Object.fromEntries(fields),
    }
  } catch (error) {
    for (const stream of [body, ...open]) stream.destroy()
    await storing?.catch(() => {})
    throw error
  }
}

const unreadable = () => badRequest('the body cannot be read as multipart/form-data')

/** The last part of a name, whatever a client says: it is shown, and never a path here. A long one keeps its extension. */
const lastPartOf = (filename: string | undefined): string =>
  (filename ?? '').split(/[/\\]/).at(-1)?.replaceAll('\0', '').slice(-255) ?? ''
