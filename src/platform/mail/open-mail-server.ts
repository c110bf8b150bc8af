import type { Config } from '#platform/config/config.ts'
import type { Log } from '#platform/context.ts'
import { MailServer } from './mail-server.ts'

/** The mail server that the configuration names; undefined when there is none. */
export function openMailServer(config: Config, log: Log): MailServer | undefined {
  const { smtpUrl: smtp, mailFrom, mailReplyTo: replyTo, externalUrl } = config
  if (smtp === undefined) {
    log.info({}, 'mail is off: FORGELET_SMTP_URL is not set')
    return undefined
  }
  const host = externalUrl === undefined ? 'localhost' : new URL(externalUrl).hostname
  const from = mailFrom ?? { name: 'Forgelet', address: `noreply@${host}` }
  return new MailServer({
    smtp,
    from: { ...from, name: from.name || 'Forgelet' },
    replyTo,
    site: externalUrl,
    log,
  })
}
