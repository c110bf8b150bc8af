import type { Static } from 'typebox'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { TestResult } from './entity.ts'
import { manifestTypes } from './remote/media-types.ts'
import type { Remote, Remotes } from './remote/remotes.ts'

/** What is asked for where nothing of an upstream is known. */
const PLACEHOLDER = 'library/alpine/manifests/latest'
/** Milliseconds that a test may take. */
const PATIENCE = 15_000

/**
 * Asks an upstream for something, without getting it.
 * @param path where the upstream has something, if that is known.
 */
export async function testConnection(
  remotes: Remotes,
  remote: Remote,
  path = PLACEHOLDER,
): Promise<Static<typeof TestResult>> {
  const [image = ''] = path.split(/\/(?:manifests|blobs)\//)
  try {
    const { status, body } = await remotes.ask(remote, {
      method: 'HEAD',
      image,
      path,
      headers: { accept: manifestTypes.join(', ') },
      maxBytes: Number.MAX_SAFE_INTEGER,
      signal: AbortSignal.timeout(PATIENCE),
    })
    body.destroy()
    // Loaded when it is needed, because most starts do not.
    const { STATUS_CODES } = await import('node:http')
    return resultOf(status, STATUS_CODES[status])
  } catch (error) {
    if (error instanceof OutgoingFailed) return failed('Error: Connection timeout')
    throw error
  }
}

const failed = (result: string) => ({ success: false, result })

function resultOf(status: number, text = 'Unknown'): Static<typeof TestResult> {
  if ((status >= 200 && status < 300) || status === 404) return { success: true }
  if (status >= 500) return failed('Error: 5XX - Server Error')
  return failed(`Error: ${status} - ${text}`)
}
