import { text } from 'node:stream/consumers'
import type { JobServices } from '#platform/jobs/task.ts'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { IncludeAnswer } from '../includes.ts'

const TIME = 10_000
const MOST_BYTES = 1024 * 1024

/** Fetches a file from another server, through the guard for such requests. */
export async function fetchRemote({ outgoing }: JobServices, url: string): Promise<IncludeAnswer> {
  const failed = (why: string) => ({ error: `Remote file \`${url}\` could not be fetched because ${why}!` })
  try {
    const { status, body } = await outgoing.request({
      url,
      timeoutMs: TIME,
      maxBytes: MOST_BYTES,
      redirects: 3,
    })
    if (status !== 200) {
      body.destroy()
      return failed(`of HTTP code \`${status}\` error`)
    }
    const shown = {
      type: 'remote',
      location: url,
      blob: null,
      raw: url,
      extra: {},
      contextProject: null,
      contextSha: null,
    } as const
    // Local includes of such a file have nowhere to look.
    return { files: [{ text: await text(body), tree: '', shown }] }
  } catch (error) {
    if (error instanceof OutgoingFailed) return failed(`of this: ${error.message}`)
    throw error
  }
}
