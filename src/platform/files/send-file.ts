import type { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { leaveUncompressed } from '#platform/http/compression.ts'
import { HttpError } from '#platform/http/errors.ts'
import { orNotFound } from '#platform/or-not-found.ts'
import { isKnown, sendHead } from '#platform/http/headers.ts'
import type { StoredFile } from './files.ts'
import type { ByteRange } from './store.ts'

export interface SendOptions {
  readonly filename: string
  /** The media type that browsers use; they do not guess from the content. */
  readonly mediaType: string
  /** Whether browsers show the file instead of saving it; for harmless media types. */
  readonly inline: boolean
  /** Whether the bytes may come from where files are, by a redirect; they do by default where the configuration says so. */
  readonly redirects?: boolean
}

/**
 * Answers with the bytes of a file, or with the requested part. The headers let browsers only show or save it. HEAD
 * and 304 open no bytes.
 * @throws 404 when the bytes are gone, 416 for a range outside of the file.
 */
export async function sendFile(
  req: FastifyRequest,
  reply: FastifyReply,
  file: StoredFile,
  { filename, mediaType, inline, redirects = true }: SendOptions,
): Promise<Readable | undefined> {
  // The entity tag, the length and the ranges are those of the stored bytes.
  leaveUncompressed(req)
  const etag = `"${file.sha256}"`
  const disposition = `${inline ? 'inline' : 'attachment'}; ${fileNameParameters(filename)}`
  reply.headers({
    etag,
    'accept-ranges': 'bytes',
    'content-disposition': disposition,
    'content-security-policy': "default-src 'none'; sandbox",
    'cross-origin-resource-policy': 'cross-origin',
  })
  if (isKnown(req, etag)) return sendHead(reply.code(304))
  reply.type(mediaType)
  if (req.method === 'HEAD') return sendHead(reply.header('content-length', file.size))
  const { files } = req.server.services
  const url = redirects ? await files.signedUrl(file, { mediaType, disposition }) : undefined
  if (url !== undefined) {
    reply.redirect(url, 302)
    return undefined
  }
  const range = rangeOf(req, etag, file.size)
  const bytes = orNotFound(await files.read(file, range), 'File')
  if (range === undefined) reply.header('content-length', file.size)
  else promisePart(reply, range, file.size)
  return bytes
}

/** Says which part of so many bytes the answer has. */
export function promisePart(reply: FastifyReply, { start, end }: ByteRange, size: number): void {
  reply
    .code(206)
    .headers({ 'content-length': end - start + 1, 'content-range': `bytes ${start}-${end}/${size}` })
}

/** The file name twice: without the characters that old clients cannot read, and in full for all others (RFC 6266). */
export function fileNameParameters(filename: string): string {
  const plain = filename.replaceAll(/[^\w.-]/g, '_')
  const full = encodeURIComponent(filename).replaceAll(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16)}`,
  )
  return plain === filename ? `filename="${plain}"` : `filename="${plain}"; filename*=UTF-8''${full}`
}

/**
 * The one range of bytes that a request asks for. Several ranges, other units and conditions that do not hold mean
 * the whole file, as RFC 9110 permits.
 * @throws 416 when it begins after the end.
 */
export function rangeOf({ headers }: FastifyRequest, etag: string, size: number): ByteRange | undefined {
  const found = /^bytes=(\d{0,15})-(\d{0,15})$/.exec(headers.range ?? '')
  const condition = headers['if-range']
  if (found === null || (condition !== undefined && condition !== etag)) return undefined
  const [, first = '', last = ''] = found
  if (first === '' && last === '') return undefined
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first)
  const end = first === '' || last === '' ? size - 1 : Math.min(Number(last), size - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return undefined
  if (start >= size || (first === '' && Number(last) === 0)) {
    throw new HttpError(416, { message: '416 Range Not Satisfiable' }, { 'content-range': `bytes */${size}` })
  }
  return { start, end }
}
