import type { Static } from 'typebox'
import { OutgoingFailed } from '#platform/outgoing/errors.ts'
import type { TestResult } from './entity.ts'
import { manifestTypes } from '../oci/media-types.ts'
import { IdentificationFailed } from './remote/identification.ts'
import type { Remote, Remotes } from './remote/remotes.ts'

/** What is asked for where nothing of an upstream is known. */
const PLACEHOLDER = 'library/alpine/manifests/latest'
/** Milliseconds that a test may take. */
const PATIENCE = 15_000
/** Answers about the method. */
const REFUSING_HEAD: ReadonlySet<number> = new Set([405, 501])
const NOBODY = 'Error: Connection timeout'

/**
 * Asks an upstream for something, without getting it.
 * @param path where the upstream has something, if that is known.
 * @returns what failed, and where, if it was the server for tokens that the upstream names.
 */
export async function testConnection(
  remotes: Remotes,
  remote: Remote,
  path = PLACEHOLDER,
): Promise<Static<typeof TestResult>> {
  const [image = ''] = path.split(/\/(?:manifests|blobs)\//)
  // Loaded when it is needed, because most starts do not.
  const { STATUS_CODES } = await import('node:http')
  const question = {
    image,
    path,
    headers: { accept: manifestTypes.join(', ') },
    maxBytes: Number.MAX_SAFE_INTEGER,
    signal: AbortSignal.timeout(PATIENCE),
  }
  try {
    let answer = await remotes.ask(remote, { ...question, method: 'HEAD' })
    answer.body.destroy()
    if (REFUSING_HEAD.has(answer.status)) {
      answer = await remotes.ask(remote, { ...question, method: 'GET' })
      answer.body.destroy()
    }
    return resultOf(answer.status, STATUS_CODES[answer.status])
  } catch (error) {
    if (error instanceof IdentificationFailed) return failed(whatFailed(error, STATUS_CODES))
    if (error instanceof OutgoingFailed) return failed(NOBODY)
    throw error
  }
}

const failed = (result: string) => ({ success: false, result })

const resultOf = (status: number, text: string | undefined): Static<typeof TestResult> =>
  (status >= 200 && status < 300) || status === 404 ? { success: true } : failed(errorOf(status, text))

const errorOf = (status: number, text = 'Unknown'): string =>
  status >= 500 ? 'Error: 5XX - Server Error' : `Error: ${status} - ${text}`

/** The registry does not know who asks: its own refusal of a password looks as that of its server for tokens. */
function whatFailed(
  { tokenServer, status }: IdentificationFailed,
  names: Readonly<Record<number, string | undefined>>,
): string {
  if (status === 401 || tokenServer === undefined) return errorOf(401, names[401])
  const where = ` (the token server ${tokenServer})`
  if (status === undefined) return `${NOBODY}${where}`
  return `${status < 400 ? 'Error: no token' : errorOf(status, names[status])}${where}`
}
