import { systemClock, systemRandomness } from '#platform/context.ts'
import type { DatabaseAddress } from '#platform/db/pool.ts'
import { type Jobs, startJobs } from '#platform/jobs/start.ts'
import { deliverMails } from '#platform/mail/deliver-mails.ts'
import { MailServer } from '#platform/mail/mail-server.ts'
import { readSmtpUrl } from '#platform/mail/smtp-url.ts'
import { jobsOn, quick, quiet } from './job-worker.ts'

// Delivers the mails of a database, in this process or, as a program, in one that can be killed.

/** @param url as in `FORGELET_SMTP_URL` */
export async function deliverTo(
  url: string,
  address: DatabaseAddress,
): Promise<{ readonly server: MailServer; readonly jobs: Jobs } & AsyncDisposable> {
  const smtp = readSmtpUrl(url)
  if (smtp === undefined) throw new Error(`${url} is not accepted`)
  const from = { name: 'Forgelet', address: 'forgelet@example.com' }
  const server = new MailServer({ smtp, from, replyTo: undefined, log: quiet })
  const { services } = jobsOn(address)
  const jobs = await startJobs({
    address,
    ...quick,
    services: { ...services, clock: systemClock, random: systemRandomness, mail: server, sendsMail: true },
    tasks: [deliverMails],
  })
  return {
    server,
    jobs,
    [Symbol.asyncDispose]: async () => {
      await jobs.stop()
      await server.close()
    },
  }
}

if (import.meta.main) {
  const address = JSON.parse(process.env['TEST_DATABASE'] ?? '') as DatabaseAddress
  await deliverTo(process.env['TEST_SMTP'] ?? '', address)
  process.stdout.write('ready\n')
}
