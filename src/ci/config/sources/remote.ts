import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { Outgoing } from '#platform/outgoing/outgoing.ts'
import type { IncludeAnswer } from '../includes.ts'
import { MOST_BYTES } from '../yaml.ts'
import { NOBODYS } from './trees.ts'

/** Milliseconds that another server has for one file. */
const TIME = 10_000

/** Fetches a file of another server. */
export async function fetchRemote(
  outgoing: Outgoing,
  url: string,
  signal: AbortSignal,
  take: (bytes: number) => boolean,
): Promise<IncludeAnswer> {
  const could = (because: string): IncludeAnswer => ({
    error: `Remote file \`${url}\` could not be fetched because of ${because}!`,
  })
  try {
    const { status, body } = await outgoing.request({
      url,
      timeoutMs: TIME,
      maxBytes: MOST_BYTES,
      redirects: 5,
      signal,
    })
    if (status >= 300) {
      body.destroy()
      return could(`HTTP code \`${status}\` error`)
    }
    const pieces: Buffer[] = []
    for await (const piece of body) pieces.push(piece)
    const bytes = Buffer.concat(pieces)
    if (!take(bytes.length)) return { error: 'Total size of all included files exceeds the limit' }
    const nowhere = { blob: null, extra: {}, contextProject: null, contextSha: null }
    return {
      files: [
        {
          text: bytes.toString('utf8'),
          tree: NOBODYS,
          shown: { type: 'remote', location: url, raw: url, ...nowhere },
        },
      ],
    }
  } catch (error) {
    if (!(error instanceof OutgoingFailed)) throw error
    return could(error.reason === 'slow' ? 'a timeout error' : `HTTP error: ${error.message}`)
  }
}
