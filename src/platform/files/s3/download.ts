import { StoreUnavailable } from '../errors.ts'
import type { ByteRange } from '../store.ts'
import { backOff, type S3Client, unlessMissing } from './client.ts'

/** How often one download may be resumed without receiving a byte in between. */
const ATTEMPTS = 4

/**
 * Reads an object, or a part of it. When the connection breaks, it resumes where it stopped.
 * @returns undefined when there is no such object.
 */
export async function readOn(
  client: S3Client,
  key: string,
  range?: ByteRange,
): Promise<AsyncIterable<Uint8Array> | undefined> {
  const first = await get(client, key, range)
  if (first === undefined) return undefined
  const start = range?.start ?? 0
  const size = Number(first.headers.get('content-length') ?? Number.NaN)
  if (!Number.isSafeInteger(size)) {
    await first.body?.cancel()
    throw new StoreUnavailable(new Error('S3 does not say how many bytes it sends'))
  }
  const end = start + size - 1
  return pieces(client, key, first, { start, end })
}

async function* pieces(client: S3Client, key: string, first: Response, { start, end }: ByteRange) {
  let answer = first
  if (start > end) await first.body?.cancel()
  let at = start
  for (let attempt = 1; at <= end;) {
    try {
      for await (const chunk of bodyOf(answer, client.options.timeout * 1000)) {
        at += chunk.length
        attempt = 1
        yield chunk
      }
      if (at <= end) throw new Error('S3 sent less than it said')
    } catch (error) {
      if (attempt === ATTEMPTS) throw error instanceof StoreUnavailable ? error : new StoreUnavailable(error)
      await backOff(attempt)
      attempt += 1
      const next = await get(client, key, { start: at, end })
      if (next === undefined)
        throw new StoreUnavailable(new Error('The object was removed while it was read'))
      answer = next
    }
  }
}

async function get(client: S3Client, key: string, range?: ByteRange): Promise<Response | undefined> {
  const headers = range === undefined ? {} : { range: `bytes=${range.start}-${range.end}` }
  const answer = await unlessMissing(client.request({ method: 'GET', key, headers }))
  if (answer === undefined || range === undefined || answer.status === 206) return answer
  await answer.body?.cancel()
  throw new StoreUnavailable(new Error('S3 sends all of an object instead of a part'))
}

/** The chunks of a body. @throws when no chunk arrives for some time. */
async function* bodyOf(answer: Response, silence: number) {
  const reader = answer.body?.getReader()
  if (reader === undefined) return
  let timer: NodeJS.Timeout | undefined
  const silent = Promise.withResolvers<never>()
  // No code may be waiting for it at the moment it fires.
  silent.promise.catch(() => {})
  try {
    for (;;) {
      timer = setTimeout(() => silent.reject(new Error(`S3 is silent for ${silence} ms`)), silence)
      const { done, value } = await Promise.race([reader.read(), silent.promise])
      clearTimeout(timer)
      if (done) return
      yield value
    }
  } finally {
    clearTimeout(timer)
    reader.cancel().catch(() => {})
  }
}
