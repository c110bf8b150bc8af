import type { FastifyRequest } from 'fastify'
import { record } from '#platform/facts/record.ts'
import { unavailable } from '#platform/refusals.ts'
import { askService } from './ask-service.ts'

const INT8 = /^[1-9]\d{0,14}$/

/** What a client sends when it tries again: the answer to the CAPTCHA, and to which refusal it belongs. */
interface Resubmission {
  readonly response: string
  readonly logId: number
}

/** Characters of an answer. Services give tokens of some thousand. */
const LONGEST_RESPONSE = 16_000

/** Reads both headers, under the specification's names or those that clients send. */
export function resubmissionIn({ headers }: FastifyRequest): Resubmission | undefined {
  const value = (name: string) => {
    const found = headers[`x-service-${name}`] ?? headers[`x-gitlab-${name}`]
    return typeof found === 'string' ? found.trim() : ''
  }
  const [response, logId] = [value('captcha-response'), value('spam-log-id')]
  if (response === '' || response.length > LONGEST_RESPONSE || !INT8.test(logId)) return undefined
  return { response, logId: Number(logId) }
}

const ANSWERS = { points: 30, seconds: 600 }

/**
 * Whether the CAPTCHA is solved for this content of this person. An answer is looked at once: whatever the service
 * says, the log is used up.
 * @throws 429 after too many answers; 503 while the service does not answer.
 */
export async function hasSolved(
  req: FastifyRequest,
  { response, logId }: Resubmission,
  digest: Buffer,
): Promise<boolean> {
  const { limits } = req.server.services
  await limits.take('CAPTCHA answers', req.user().id, ANSWERS)
  if (!(await useUp(req, logId, digest))) return false
  const verified = await verify(req, response)
  if (verified === undefined) {
    await release(req, logId)
    throw unavailable('the CAPTCHA service does not answer', 10)
  }
  if (!verified) return false
  await req.write(async (tx) => {
    await tx.db.updateTable('spam_logs').set({ recaptcha_verified: true }).where('id', '=', logId).execute()
    const user_id = req.user().id
    record(tx, {
      name: 'CAPTCHA solved',
      namespace: null,
      target: { type: 'SpamLog', id: logId },
      details: { user_id },
    })
  })
  return true
}

/** Takes a log that nobody has answered yet, is this person's, and is about this content. */
async function useUp(req: FastifyRequest, logId: number, digest: Buffer): Promise<boolean> {
  const { db, clock } = req.server.services
  const { numUpdatedRows } = await db
    .updateTable('spam_logs')
    .set({ answered_at: clock.now().toISOString() })
    .where('id', '=', logId)
    .where('user_id', '=', req.user().id)
    .where('digest', '=', digest)
    .where('answered_at', 'is', null)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

async function release(req: FastifyRequest, logId: number): Promise<void> {
  await req.server.db.updateTable('spam_logs').set({ answered_at: null }).where('id', '=', logId).execute()
}

/** @returns undefined when the service does not answer. */
async function verify(req: FastifyRequest, response: string): Promise<boolean | undefined> {
  const { config, outgoing } = req.server.services
  const { captchaUrl: url, captchaSecret: secret } = config
  if (url === undefined || secret === undefined) return false
  try {
    const { text } = await askService(outgoing, url, { secret, response, remoteip: req.ip })
    const said: unknown = JSON.parse(text)
    return typeof said === 'object' && said !== null && 'success' in said && said.success === true
  } catch (error) {
    req.log.warn({ err: error }, 'the CAPTCHA service did not answer')
    return undefined
  }
}
