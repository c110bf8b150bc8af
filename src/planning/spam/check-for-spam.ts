import { createHash } from 'node:crypto'
import type { FastifyRequest } from 'fastify'
import { record } from '#platform/facts/record.ts'
import { HttpError } from '#platform/http/errors.ts'
import { unavailable } from '#platform/refusals.ts'
import { hasSolved, resubmissionIn } from './captcha.ts'
import { type Content, wholeOf } from './content.ts'
import { verdictOn } from './verdict.ts'

/** Whether what this request publishes is checked: administrators, bots and everybody with a role are trusted. */
export function isChecked(req: FastifyRequest): boolean {
  const { config, settings } = req.server.services
  if (config.spamUrl === undefined || !settings().spam_check_endpoint_enabled) return false
  const { accessContext } = req.authorizedProject ?? req.authorizedGroup ?? {}
  return !req.viewer.admin && req.user().kind === 'human' && (accessContext?.level ?? 0) === 0
}

/**
 * Asks whether what somebody is about to publish is spam. Call it after the rights are known and before the
 * transaction, because it waits for another server. A route that does says `checkedForSpam` in its schema.
 * @throws 400 for spam; 409 where a CAPTCHA would help; 503 when nobody can say.
 */
export async function checkForSpam(req: FastifyRequest, content: Content): Promise<void> {
  if (!isChecked(req)) return
  if (req.routeOptions.schema?.checkedForSpam !== true)
    throw new Error(`${req.method} ${req.routeOptions.url} does not declare that it is checked for spam`)
  const { settings, config } = req.server.services
  const { recaptcha_enabled, spam_check_fail_open } = settings()
  const siteKey = recaptcha_enabled && config.captchaUrl !== undefined ? config.captchaSiteKey : undefined
  const digest = createHash('sha256')
    .update(`${content.type}\n${wholeOf(content)}`)
    .digest()
  const again = siteKey === undefined ? undefined : resubmissionIn(req)
  if (again !== undefined && (await hasSolved(req, again, digest))) return
  const verdict = await verdictOn(req, content)
  if (verdict === 'fine' || (verdict === 'unknown' && spam_check_fail_open)) return
  if (verdict === 'unknown') throw unavailable('nobody can check this for spam now', 10)
  const logId = await keep(req, content, digest)
  throw refusal(content, logId, verdict === 'spam' ? siteKey : undefined)
}

async function keep(req: FastifyRequest, content: Content, digest: Buffer): Promise<number> {
  const { id: user_id } = req.user()
  return req.write(async (tx) => {
    const { id } = await tx.db
      .insertInto('spam_logs')
      .values({
        user_id,
        source_ip: tx.ip,
        user_agent: cleaned(req.headers['user-agent'], 512),
        noteable_type: content.type,
        title: cleaned(content.title, 255),
        description: cleaned(content.text, 65_535) ?? '',
        digest,
        created_at: tx.now,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    const details = { noteable_type: content.type, user_id }
    record(tx, { name: 'spam recognized', namespace: null, target: { type: 'SpamLog', id }, details })
    return id
  })
}

/** A text that PostgreSQL stores, of so many characters. */
const cleaned = (text: string | null | undefined, longest: number): string | null =>
  text === null || text === undefined
    ? null
    : text
        .replaceAll('\0', '')
        .slice(0, longest)
        .replace(/[\uD800-\uDBFF]$/, '')

function refusal({ noun }: Content, spam_log_id: number, siteKey: string | undefined): HttpError {
  const recognized = `Your ${noun} has been recognized as spam`
  if (siteKey === undefined)
    return new HttpError(400, { message: { error: `${recognized} and has been discarded.` } })
  const error = `${recognized}. Please, change the content or solve the reCAPTCHA to proceed.`
  return new HttpError(409, {
    needs_captcha_response: true,
    spam_log_id,
    captcha_site_key: siteKey,
    message: { error },
  })
}
